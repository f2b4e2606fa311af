"""One's own metrics: a function in a Python file of the workspace, called in a process apart."""
