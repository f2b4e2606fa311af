"""Measures judges against people, and estimates the mean of a run from both."""
