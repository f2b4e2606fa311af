"""Answers questions from retrieved passages, by a model or offline."""
