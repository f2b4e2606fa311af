"""Figures over raters' work: agreement, reliability, values, and time."""
