"""A table of runs as the terminal shows it, and in each format that the command line writes."""

from __future__ import annotations

from engine.report.output import json_text
from engine.report.run_tables import HEADINGS, RENDERERS, legend, names, value_text
from engine.report.text_table import table_lines
from engine.results.run_table import RunTable
from engine.text.wrapping import wrap

WIDTH = 100


def render(table: RunTable, kind: str, *, width: int | None = None) -> str:
    """The table as `text` of so many cells, `json`, `markdown`, `csv` or `latex`."""
    if kind == "json":
        return json_text(table)
    return _text(table, width) if kind == "text" else RENDERERS[kind](table)


def _text(table: RunTable, width: int | None) -> str:
    rows = [(*names(row), *map(value_text, row.cells)) for row in table.rows]
    shown = table_lines((*HEADINGS, *table.columns), rows, width=width, right_from=len(HEADINGS))
    said = legend(table)
    broken = wrap(said, min(width or WIDTH, WIDTH))
    return "\n".join([*shown, "", *(said[a:b].rstrip() for a, b in broken)])
