"""Topics and tasks: the shipped ones, those of a workspace, and giving documents their topics."""
