"""Finds the chunks of a corpus that answer a question."""
