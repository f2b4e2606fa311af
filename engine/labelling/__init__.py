"""Labelling headless: a rater at work, the label that raters settle on, and labels as tables."""
