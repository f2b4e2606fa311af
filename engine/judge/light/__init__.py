"""A light judge has a small model for each metric, learned from human labels."""
