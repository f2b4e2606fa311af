"""The corpora of the workspace: found, read, added to."""
