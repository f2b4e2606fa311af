"""A dataset's whole past, written out and read back."""
