"""Figures from numbers alone: means, intervals, tests, agreement."""
