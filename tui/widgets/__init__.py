"""The widgets that the screens are composed of; each draws whole lines of cells."""
