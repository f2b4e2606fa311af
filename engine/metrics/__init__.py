"""Metrics: plain records in, scores out; each variant of a metric has its own module."""
