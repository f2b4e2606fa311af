"""Finds the columns in which the numbers of a page stand."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.corpus.readers.pdf.pieces import Piece
from engine.text.tables.values import is_value

Row = list[Piece]
"""Pieces at one height, from the left."""
Span = tuple[float, float]
"""Left and right, in points."""


class Columns(Struct, frozen=True):
    """The columns of a table on a page."""

    spans: list[Span]
    """Of the cells after the labels, from the left."""
    labels_end: float
    """The right end of the longest label of a row with values."""

    @property
    def left(self) -> float:
        return self.spans[0][0]

    @property
    def right(self) -> float:
        return self.spans[-1][1]


def columns_of(rows: Sequence[Row]) -> Columns:
    """The columns of values, united where they overlap, and those of other texts that overlap
    none of them. Left of a single column of values, as in a table of contents, all is label."""
    after = [piece for row in rows for piece in row[_label_pieces(row) :]]
    spans = _united([(piece.left, piece.right) for piece in after if is_value(piece.text)])
    if len(spans) > 1:
        others = [
            (piece.left, piece.right)
            for piece in after
            if not is_value(piece.text) and not any(overlap(piece, span) for span in spans)
        ]
        spans = _united(spans + others)
    labels = [row[0].right for row in rows if len(row) > 1 and _label_pieces(row)]
    return Columns(spans, max(labels, default=0.0))


def _label_pieces(row: Row) -> int:
    return 0 if all(is_value(piece.text) for piece in row) else 1


def _united(spans: list[Span]) -> list[Span]:
    united: list[Span] = []
    for left, right in sorted(spans):
        if united and left < united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], right))
        else:
            united.append((left, right))
    return united


def overlap(piece: Piece, column: Span) -> bool:
    """Whether a piece stands in or across the column."""
    return piece.left < column[1] and column[0] < piece.right


def distance(piece: Piece, column: Span) -> float:
    """Points between the two; below 0 the more they overlap."""
    return max(piece.left, column[0]) - min(piece.right, column[1])


def nearest(piece: Piece, columns: Columns) -> int:
    """Place of the column nearest to the piece; the left one of two at equal distance."""
    return min(range(len(columns.spans)), key=lambda i: distance(piece, columns.spans[i]))
