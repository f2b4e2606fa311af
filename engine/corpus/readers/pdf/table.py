"""Finds the tables on a page by the numbers that stand in columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from engine.corpus.readers.pdf.columns import Columns, Row, columns_of, nearest, overlap
from engine.corpus.readers.pdf.heading import (
    MOST_LABEL_ROWS,
    follows,
    heading_bounds,
    heading_cells,
    is_label,
    is_only_heading,
)
from engine.corpus.readers.pdf.pieces import Piece
from engine.text.tables.values import goes_after_a_value, goes_before_a_value, is_value

FEWEST_ROWS = 2
"""Rows with values that make a table of two or more columns of them."""
FEWEST_ROWS_OF_ONE_COLUMN = 3
MOST_ROWS = 400
"""Rows of one table; finding its columns takes the square of them."""

_MARK = re.compile(r"(?:[(（\[]?(?:\d{1,2}|[a-z])[)）\]]?,?\s?){1,3}|[*†‡]+")
"""Marks of footnotes."""
_MARK_HEIGHT = 0.85
"""Height of a mark, as a share of its row's, up to which it is one."""
_CLOSING = ",.:;：，。；"
_OPEN_END = re.compile(r"(?:[&,]|\b(?:and|or|of|for|in|to|the))$")


class TableOfPieces(Struct, frozen=True, eq=False):
    cells: list[list[str]]
    heading_rows: int
    pieces: list[Piece]
    """All pieces of the table; nothing else of the page stands in it."""


def find_tables(rows: Sequence[Row]) -> list[TableOfPieces]:
    """The tables of a page, from the top down; `rows` as `pdf_file.visual_rows` gives them."""
    joined = [_join_values(row) for row in rows]
    tables: list[TableOfPieces] = []
    free = 0
    at = 0
    while at < len(rows):
        end = _end_of_run(joined, at)
        if end == at:
            at += 1
            continue
        columns = columns_of(joined[at:end])
        heading, first = heading_bounds(joined, at, free, columns)
        tables.append(_table(rows[heading:end], joined[heading:end], first - heading, columns))
        free = at = end
    return tables


def _join_values(row: Row) -> Row:
    """The row with detached signs joined to their numbers."""
    joined: Row = []
    height = max(piece.top - piece.bottom for piece in row)
    for piece in row:
        before = joined[-1] if joined else None
        if before is not None and (
            (goes_before_a_value(before.text) and is_value(piece.text.rstrip(")）")))
            or (goes_after_a_value(piece.text) and is_value(before.text))
        ):
            joined[-1] = _union(before, piece, "")
        elif before is not None and _is_mark(piece, height):
            joined[-1] = _union(before, piece, " ")
        elif before is not None and _touches(before, piece):
            joined[-1] = _union(before, piece, "")
        else:
            joined.append(piece)
    return joined


def _is_mark(piece: Piece, height: float) -> bool:
    """Whether a piece is a footnote mark, set smaller than the row."""
    small = piece.top - piece.bottom < _MARK_HEIGHT * height
    return small and _MARK.fullmatch(piece.text) is not None


def _touches(before: Piece, piece: Piece) -> bool:
    """Whether a piece begins where the one before ends, as after a superscript mark."""
    gap = piece.left - before.right
    return gap < 0.15 * (piece.top - piece.bottom) and piece.text[0] in _CLOSING


def _union(one: Piece, other: Piece, between: str) -> Piece:
    return Piece(
        text=one.text + between + other.text,
        left=one.left,
        bottom=min(one.bottom, other.bottom),
        right=other.right,
        top=max(one.top, other.top),
        line=one.line,
    )


def _has_values(row: Row) -> bool:
    """Whether at least half of the pieces after the label are values."""
    return len(row) > 1 and sum(2 * is_value(piece.text) - 1 for piece in row[1:]) >= 0


def _end_of_run(rows: Sequence[Row], start: int) -> int:
    """The end of the table whose first row with values is `start`; `start` if there is no table."""
    if not _has_values(rows[start]):
        return start
    end, labels = start + 1, 0
    at = end
    columns = columns_of(rows[start:end])
    while at < min(len(rows), start + MOST_ROWS) and follows(rows[at - 1], rows[at]):
        row = rows[at]
        if _has_values(row) and _fits(row, columns):
            labels, end = 0, at + 1
            columns = columns_of(rows[start:end])
        elif is_label(row, columns) and labels < MOST_LABEL_ROWS:
            labels += 1
        else:
            break
        at += 1
    valued = [row for row in rows[start:end] if _has_values(row)]
    fewest = FEWEST_ROWS_OF_ONE_COLUMN if len(columns.spans) == 1 else FEWEST_ROWS
    return end if len(valued) >= fewest else start


def _fits(row: Row, columns: Columns) -> bool:
    """Whether one of the row's values stands in a column that the table has, and its label does
    not reach into them."""
    values = [piece for piece in row if is_value(piece.text)]
    shared = any(overlap(piece, column) for piece in values for column in columns.spans)
    return shared and (is_value(row[0].text) or row[0].left < columns.left)


def _table(
    rows: Sequence[Row], joined: Sequence[Row], first: int, columns: Columns
) -> TableOfPieces:
    """A table of all `rows`, whose heading ends at `first`."""
    while first < len(rows) - 1 and is_only_heading(joined[first], columns):
        first += 1
    heading = [heading_cells(row, columns) for row in joined[:first]]
    body = _wrapped([_cells(row, columns) for row in joined[first:]])
    return TableOfPieces(heading + body, len(heading), [piece for row in rows for piece in row])


def _cells(row: Row, columns: Columns) -> list[str]:
    """A row's label and the text in each column."""
    cells = [""] * (len(columns.spans) + 1)
    for piece in row:
        place = next((i for i, span in enumerate(columns.spans) if overlap(piece, span)), None)
        if place is None or (piece.left < columns.left and not is_value(piece.text)):
            place = -1 if piece.left < columns.left else nearest(piece, columns)
        cells[place + 1] = f"{cells[place + 1]} {piece.text}".strip()
    return cells


def _wrapped(body: list[list[str]]) -> list[list[str]]:
    """The rows with a label that goes on in the next row written as one."""
    rows: list[list[str]] = []
    for row in body:
        if rows and not any(rows[-1][1:]) and _goes_on(rows[-1][0], row[0]):
            rows[-1] = [f"{rows[-1][0]} {row[0]}", *row[1:]]
        else:
            rows.append(row)
    return rows


def _goes_on(label: str, below: str) -> bool:
    if label.endswith((":", "：")):
        return False
    return below[:1].islower() or _OPEN_END.search(label) is not None
