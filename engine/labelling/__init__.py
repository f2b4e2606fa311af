"""Labelling headless: drawing what to label, a rater at work, figures over the work."""
