"""The state of the workspace as the screens show it, kept up to date."""
