"""Evaluates systems: a run retrieves, answers and scores every item of a release."""
