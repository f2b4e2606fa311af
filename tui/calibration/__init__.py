"""The screen that compares judges with people."""
