"""Renders results as an HTML page that needs no network: one matrix, or a report on runs."""
