"""Reads the text of a DOCX file, with its headings, lists and tables."""
