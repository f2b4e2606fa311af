"""A matrix of results as a document: CSV, Markdown, LaTeX, SVG or HTML.

All formats say the same: whose numbers these are and which way is better, every cell with its n,
the means along the edges with their 95 % interval, the counts of every state, and what the signs
mean. Rendering is pure. The table for the terminal is `engine.report.matrix_text`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.report import csv_table, html_page, latex_table, markdown_table, svg_heat_map
from engine.report.caption import Caption
from engine.results.matrix import Matrix

RENDERERS: Mapping[str, Callable[[Matrix, Caption], str]] = {
    "csv": csv_table.render,
    "markdown": markdown_table.render,
    "latex": latex_table.render,
    "svg": svg_heat_map.render,
    "html": html_page.render,
}
"""By the name of the format, in the order in which they are offered."""
