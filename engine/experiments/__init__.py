"""Experiments: variants of a system, chosen on the train side and reported on the test side."""
