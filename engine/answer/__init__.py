"""Answers of a system: the request to a model, earlier turns, and answering offline."""
