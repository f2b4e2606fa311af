"""Exports datasets and runs: as folders in several layouts with a manifest, or as a report page."""
