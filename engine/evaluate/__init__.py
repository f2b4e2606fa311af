"""Evaluating systems: which there are, and the job that retrieves, answers and scores."""
