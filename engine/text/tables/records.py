"""A table in a text: its rows and cells, and where each character of them stands."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from engine.text.tables.values import is_value, is_year

MOST_HEADING_ROWS = 4


class Cell(NamedTuple):
    start: int
    end: int
    """Offsets in the text; what stands between them may be markup, too."""
    text: str = ""
    """What the cell says."""
    offsets: Sequence[int] = ()
    """Of each character of `text`, its offset in the text that holds the table."""

    def place(self, offset: int) -> int:
        """The first character of `text` that stands at an offset or behind it."""
        return bisect_left(self.offsets, offset)


class Row(NamedTuple):
    start: int
    end: int
    cells: tuple[Cell, ...]


class Table(NamedTuple):
    start: int
    end: int
    """Offsets in the text, of whole lines except in HTML."""
    rows: tuple[Row, ...]
    """All of the same number of cells; without blank rows, and without columns that are blank."""
    headings: int
    """How many of the first rows are headings."""


def table_of(
    start: int, end: int, rows: Sequence[Row], headings: int | None = None
) -> Table | None:
    """The table; None where rows differ in their number of cells, or all of it is blank.

    `headings` says how many of the rows are headings; None to tell it by their looks.
    """
    if len({len(row.cells) for row in rows}) != 1:
        return None
    if headings is None:
        headings = 0 if len(rows) < 2 or _has_values(rows[0]) else 1
    headed = [row for row in rows[:headings] if _says(row)]
    body = [row for row in rows[headings:] if _says(row)]
    # what stands above columns without naming a row is a heading, too
    more = len(list(takewhile(lambda row: not row.cells[0].text and not _has_values(row), body)))
    count = min(len(headed) + min(more, max(len(body) - 1, 0)), MOST_HEADING_ROWS)
    kept = [*headed, *body]
    columns = [at for at in range(len(rows[0].cells)) if any(row.cells[at].text for row in kept)]
    if not columns:
        return None
    whole = [row._replace(cells=tuple(row.cells[at] for at in columns)) for row in kept]
    return Table(start, end, tuple(whole), max(count, len(headed)))


def _says(row: Row) -> bool:
    return any(cell.text for cell in row.cells)


def _has_values(row: Row) -> bool:
    return any(is_value(cell.text) and not is_year(cell.text) for cell in row.cells[1:])
