"""Renders a matrix of results as terminal table, CSV, Markdown, LaTeX, SVG or HTML.

All formats say the same: whose numbers these are and which way is better, every cell with its n,
the means along the edges with their 95 % interval, the counts of every state, and what the signs
mean. Rendering is pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.report.matrix import csv_lines, html_page, latex, markdown, svg
from engine.report.matrix.caption import Caption
from engine.results.matrix import Matrix

RENDERERS: Mapping[str, Callable[[Matrix, Caption], str]] = {
    "csv": csv_lines.render,
    "markdown": markdown.render,
    "latex": latex.render,
    "svg": svg.render,
    "html": html_page.render,
}
"""By the name of the format, in the order in which they are offered."""
