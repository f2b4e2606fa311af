"""The screens that list, show and add to the corpora of the workspace."""
