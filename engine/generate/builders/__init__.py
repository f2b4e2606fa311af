"""Builds items of a task by asking a model in stages, each of which goes on from the one before."""
