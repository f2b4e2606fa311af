"""Imports other people's items, runs, scores and labels, with one module for each source."""
