"""Runs of systems: their predictions, scores and the values that judges gave."""
