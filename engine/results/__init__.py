"""Computes matrices, tables, comparisons and leaderboards from the scores of runs."""
