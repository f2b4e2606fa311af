"""Exports datasets as folders in several layouts, each with a manifest of its content."""
