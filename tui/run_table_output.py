"""A table of runs as the terminal shows it, and in each format that the command line writes."""

from __future__ import annotations

from engine.report.run_tables import HEADINGS, RENDERERS, legend, names, value_text
from engine.run_table import RunTable
from tui.cli.output import json_text
from tui.wrap import cell_width, pad, wrap

WIDTH = 100


def render(table: RunTable, kind: str) -> str:
    """The table as `text`, `json`, `markdown`, `csv` or `latex`."""
    if kind == "json":
        return json_text(table)
    return _text(table) if kind == "text" else RENDERERS[kind](table)


def _text(table: RunTable) -> str:
    lines = [(*HEADINGS, *table.columns)]
    lines += [(*names(row), *map(value_text, row.cells)) for row in table.rows]
    widths = [max(cell_width(line[at]) for line in lines) for at in range(len(lines[0]))]
    shown = [
        "  ".join(
            pad(text, width, "left" if at < len(HEADINGS) else "right")
            for at, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    said = legend(table)
    return "\n".join([*shown, "", *(said[a:b].rstrip() for a, b in wrap(said, WIDTH))])
