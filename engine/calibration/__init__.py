"""Measures judges against people, corrects means by both, and chooses what to label next."""
