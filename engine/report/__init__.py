"""Results as text, JSON, CSV, Markdown, LaTeX, HTML and SVG; nothing here reads the store."""
