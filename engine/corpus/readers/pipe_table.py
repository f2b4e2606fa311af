"""Writes rows of cells as a pipe table, the form of tables that chunking and answering read.

Reports cut one value into several cells (`$`, `(10`, `)`), keep empty columns for the look, and
spread the heading of a column over several rows. What is written has one cell a value and one
heading row, so that a row read alone with its headings still says what its numbers are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.corpus.readers.contract import LARGEST_DOCUMENT
from engine.text.tables.values import (
    CURRENCY_SIGNS,
    goes_after_a_value,
    goes_before_a_value,
    is_value,
    is_year,
)
from store.errors import InputError

Rows = Sequence[Sequence[str]]

MOST_HEADING_ROWS = 10
MOST_COLUMNS = 10_000
MOST_CELLS = 2_000_000
"""Of a table, those that its widest row adds to the others counted in."""
_SPACED_SIGN = re.compile(rf"([{CURRENCY_SIGNS}]) (?=[(（\d—–-])")


def pipe_table(rows: Rows, heading_rows: int | None = None) -> str:
    """The table as lines of text; empty when no cell holds any.

    The first `heading_rows` rows become the heading; null to tell them from the others by their
    looks. A table that has none gets an empty heading. Cells may be missing at the end of a row.
    """
    _check_size(rows)
    joined = [_joined([_cell(text) for text in row]) for row in rows]
    width = max(map(len, joined), default=0)
    table = [row + [""] * (width - len(row)) for row in joined]
    count = _heading_rows(table) if heading_rows is None else heading_rows
    heading = _merged(table[:count], width)
    body = [row for row in table[count:] if any(row)]
    if not body and not any(heading):
        return ""
    kept = [column for column in range(width) if _is_kept(column, heading, body)]
    lines = [[heading[column] for column in kept], ["---"] * len(kept)]
    lines += [[row[column] for column in kept] for row in body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def check_columns(row: Sequence[str]) -> None:
    """Raises InputError for a row that merged cells make wider than any table is."""
    if len(row) > MOST_COLUMNS:
        raise InputError(f"a table has more than {MOST_COLUMNS:,} columns")


def _check_size(rows: Rows) -> None:
    """Raises InputError for a table that merged cells blow up beyond what memory holds."""
    cells = max(map(len, rows), default=0) * len(rows)
    if cells > MOST_CELLS:
        raise InputError(f"a table has {cells:,} cells, more than {MOST_CELLS:,}")
    size = sum(len(text) for row in rows for text in row)
    if size > LARGEST_DOCUMENT:
        raise InputError(
            f"a table with its merged cells has {size:,} characters, more than {LARGEST_DOCUMENT:,}"
        )


def _cell(text: str) -> str:
    # a bar inside a cell would part it; the full-width one reads, and folds, as the same
    plain = " ".join(text.split()).replace("|", "｜")
    return _SPACED_SIGN.sub(r"\1", plain) if is_value(plain) else plain


def _joined(cells: list[str]) -> list[str]:
    """The row with the parts of each value in one cell, that of its digits."""
    joined = list(cells)
    for place, text in enumerate(cells):
        if goes_before_a_value(text):
            after = next((i for i in range(place + 1, len(cells)) if cells[i]), None)
            if after is not None and is_value(cells[after].rstrip(")）")):
                joined[place], joined[after] = "", text + joined[after]
        elif goes_after_a_value(text):
            before = next((i for i in range(place - 1, -1, -1) if joined[i]), None)
            if before is not None and any(map(str.isdigit, joined[before])):
                joined[place], joined[before] = "", joined[before] + text
    return joined


def _heading_rows(table: list[list[str]]) -> int:
    """How many of the first rows are headings: the first unless it has numbers, and those below
    that have no label of their own."""
    labelled = [bool(row and row[0]) for row in table]
    if not any(labelled):
        return min(1, len(table))
    if labelled[0] and any(is_value(text) and not is_year(text) for text in table[0][1:]):
        return 0
    count = 1
    while count < min(len(table) - 1, MOST_HEADING_ROWS) and not labelled[count]:
        count += 1
    return count


def _merged(rows: list[list[str]], width: int) -> list[str]:
    """The heading rows as one: the texts of each column from the top down, each once."""
    return [" ".join(dict.fromkeys(row[i] for row in rows if row[i])) for i in range(width)]


def _is_kept(column: int, heading: list[str], body: list[list[str]]) -> bool:
    """Whether the column holds a value, or a heading that does not stand beside it as well."""
    if any(row[column] for row in body):
        return True
    beside = heading[max(0, column - 1) : column] + heading[column + 1 : column + 2]
    return bool(heading[column]) and heading[column] not in beside
