"""Inspects items: five checks by rule, or a model, give a verdict and a correction."""
