"""Putting runs, datasets and corpora out of sight, and removing them for good."""
