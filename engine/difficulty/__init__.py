"""Measures how hard the items of a dataset are to retrieve for and to answer."""
