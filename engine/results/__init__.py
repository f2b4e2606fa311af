"""Computes matrices, comparisons, leaderboards, gates and blame from the scores of runs."""
