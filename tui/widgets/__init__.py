"""The widgets of the screens; each draws whole lines of cells."""
