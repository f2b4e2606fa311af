"""Fills the cells of a dataset up to their targets: plan, estimate, writers, work."""
