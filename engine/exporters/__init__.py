"""Exports datasets and runs as folders in several layouts, each with a manifest of its content."""
