"""Judges measured against people: their agreement, and the mean of a run that both imply."""
