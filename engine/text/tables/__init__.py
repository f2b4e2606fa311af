"""Finds the tables in a text, in Markdown, CSV or HTML, with the place of every character."""
