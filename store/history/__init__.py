"""The whole history of a dataset, exported and restored."""
