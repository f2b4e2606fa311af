"""Reads the main text of a web page, with its headings, lists and tables."""
