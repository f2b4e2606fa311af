"""Datasets going out: a folder in some layout, with a manifest of what is in it."""
