"""Readers and writers of foreign file formats, with one module for each format."""
