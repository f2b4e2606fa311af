"""Teaches a light judge from human labels, and measures what it learned."""
