"""Renders a matrix of results as terminal table, CSV, Markdown, LaTeX or SVG.

All formats say the same: whose numbers these are and which way is better, every cell with its n,
the means along the edges with their 95 % interval, the counts of every state, and what the signs
mean. Rendering is pure.
"""
