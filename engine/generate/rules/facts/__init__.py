"""Reads a document by rule: its subject, its names, and the facts of its sentences and tables."""
