"""Judges measured against people, and what both say of a run."""
