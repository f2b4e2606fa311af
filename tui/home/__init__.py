"""The Home screen: the contents of the workspace and the next steps."""
