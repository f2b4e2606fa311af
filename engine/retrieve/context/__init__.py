"""Stages after retrieval, which change what the generator reads, with one module for each."""
