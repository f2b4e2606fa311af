"""Reads the pages of a PDF as text, with the tables of numbers on them."""
