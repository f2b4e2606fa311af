"""Renders results as text, JSON, CSV, Markdown, LaTeX, HTML and SVG, without reading the store."""
