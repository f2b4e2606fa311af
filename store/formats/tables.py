"""Writes tables of foreign files as pipe tables, the form that chunking and answering read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def pipe_table(rows: Sequence[Sequence[Any]]) -> str:
    """Rows of cells, the first of which are the headings; empty for a table without rows."""
    width = max(map(len, rows), default=0)
    if not width:
        return ""
    lines = [_line([*row, *[""] * (width - len(row))]) for row in rows]
    return "\n".join([lines[0], _line(["---"] * width), *lines[1:]])


def rows_of_columns(columns: Mapping[str, Mapping[str, Any]]) -> list[list[Any]]:
    """The rows of a table that is given by columns, each a mapping from row name to value."""
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    return [
        ["", *columns],
        *([name, *(column.get(name, "") for column in columns.values())] for name in names),
    ]


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(value: Any) -> str:
    text = "" if value is None else number_text(value) if isinstance(value, float) else str(value)
    return " ".join(text.replace("|", "/").split())


def number_text(value: float) -> str:
    """A number in plain notation, without an exponent and without `.0` for whole numbers."""
    return f"{value:.0f}" if value.is_integer() else f"{value:.10f}".rstrip("0")
