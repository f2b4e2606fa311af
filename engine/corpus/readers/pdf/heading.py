"""Finds the heading rows of a table on a page, and the columns that each heading covers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.corpus.readers.pdf.columns import Columns, Row, distance, nearest, overlap
from engine.corpus.readers.pdf.pieces import Piece
from engine.corpus.readers.pipe_table import MOST_HEADING_ROWS
from engine.text.tables.values import is_value, is_year

MOST_LABEL_ROWS = 3
"""Rows of label alone, one after the other, inside a table."""

_CENTRED = 0.1
"""The largest distance of a heading from the middle of its columns, as a share of their width."""
_NEAR = 14.0
"""Points from a heading's edge to a column that still stands below it."""
_NOTE = re.compile(r"[(（].*[)）]")
_ROW_DISTANCE = 3.5
"""The largest distance between two rows of a table, in heights of a row."""


def heading_bounds(rows: Sequence[Row], start: int, free: int, columns: Columns) -> tuple[int, int]:
    """First row and end (exclusive) of the heading above row `start`; labels may stand below it."""
    labels = start
    while labels > free and start - labels < MOST_LABEL_ROWS:
        if not is_label(rows[labels - 1], columns):
            break
        labels -= 1
    for end in dict.fromkeys((start, labels)):
        first = end
        while first > free and end - first < MOST_HEADING_ROWS:
            above = rows[first - 1]
            if not follows(above, rows[first]) or not _is_heading(above, columns):
                break
            first -= 1
        while first < end and _stands_alone(rows[first], columns):
            first += 1
        if first < end:
            return first, end
    return start, start


def follows(above: Row, below: Row) -> bool:
    """Whether two rows are near enough to belong to one table."""
    height = max(piece.top - piece.bottom for piece in (*above, *below))
    return above[0].bottom - below[0].top < _ROW_DISTANCE * height


def is_label(row: Row, columns: Columns) -> bool:
    """Whether a row has nothing in the columns."""
    return all(piece.right < columns.left for piece in row)


def _stands_alone(row: Row, columns: Columns) -> bool:
    """Whether a row at the top is the end of a title rather than a heading of columns."""
    over = [piece for piece in row if _is_over(piece, columns)]
    if len(over) != 1 or len(columns.spans) == 1 or _NOTE.fullmatch(over[0].text):
        return False
    return sum(overlap(over[0], column) for column in columns.spans) < 2


def _is_heading(row: Row, columns: Columns) -> bool:
    """Whether each piece stands over columns, the first of several perhaps over the labels."""
    over = [piece for piece in row if _is_over(piece, columns)]
    aside = [piece for piece in row if piece not in over and piece.right < columns.left]
    values = [piece for piece in row if is_value(piece.text) and not is_year(piece.text)]
    if len(row) == 1 and _NOTE.fullmatch(row[0].text):
        return row[0].right <= columns.right + _NEAR
    return bool(over) and not values and len(aside) <= 1 and len(over) + len(aside) == len(row)


def _is_over(piece: Piece, columns: Columns) -> bool:
    """Whether a piece begins over the columns, or near enough before them.

    Numbers end at their column's right edge, so that a heading may begin far left of a short one,
    but never above the labels.
    """
    reach = max(_NEAR, min(0.35 * (piece.right - piece.left), 2 * _NEAR))
    return min(columns.labels_end, columns.left - reach) <= piece.left < columns.right + _NEAR


def is_only_heading(row: Row, columns: Columns) -> bool:
    """Whether the whole row stands over the columns, as a row of years does."""
    return _is_heading(row, columns) and all(_is_over(piece, columns) for piece in row)


def heading_cells(row: Row, columns: Columns) -> list[str]:
    """A heading's texts, each over every column that stands below it; a note such as `(in
    millions)`, which says something of all of them, over the labels."""
    over = [piece for piece in row if _is_over(piece, columns)]
    aside = [piece for piece in row if piece not in over]
    if len(over) == 1 and _NOTE.fullmatch(over[0].text):
        aside, over = [*aside, *over], []
    cells = [" ".join(piece.text for piece in aside)] + [""] * len(columns.spans)
    for piece in over:
        for place in _columns_below(piece, over, columns):
            cells[place + 1] = f"{cells[place + 1]} {piece.text}".strip()
    return cells


def _columns_below(piece: Piece, row: Row, columns: Columns) -> list[int]:
    """The columns nearest to it of the row if it is centred on them, else those it overlaps or
    nearly overlaps."""
    group = [
        place
        for place, column in enumerate(columns.spans)
        if min(row, key=lambda other: abs(other.centre - sum(column) / 2)) is piece
    ]
    if group:
        left, right = columns.spans[group[0]][0], columns.spans[group[-1]][1]
        if abs(piece.centre - (left + right) / 2) <= _CENTRED * (right - left):
            return group
    distances = [distance(piece, span) for span in columns.spans]
    below = [place for place, distance in enumerate(distances) if distance < 0]
    near = [place for place, distance in enumerate(distances) if distance < _NEAR]
    return below or near or [nearest(piece, columns)]
