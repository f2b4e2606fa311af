"""Versions of a judge, better by labels: examples of the train side, figures of the others."""
