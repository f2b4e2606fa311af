"""Joins the pieces of a page into text, with lines in reading order and tables as pipe tables.

A PDF says where letters stand, not what is a table. A table is recognised by numbers that stand
below each other: rows of a label and one or more values, whose values share columns. Text of
other pieces keeps the order of the file, so that pages set in two columns are read column by
column. Every piece is written once, whatever is recognised.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.corpus.readers.page_columns import Row
from engine.corpus.readers.page_pieces import Piece, mend_hyphens
from engine.corpus.readers.page_table import TableOfPieces, find_tables
from engine.corpus.readers.pipe_table import pipe_table

_SAME_ROW = 0.5
"""Share of the lower of two pieces that must stand beside the other."""


class PageText(Struct, frozen=True):
    text: str
    tables: int
    """The number of its parts that are tables."""


def page_text(pieces: Sequence[Piece]) -> PageText:
    """The text of a page from its pieces in file order."""
    tables = find_tables(visual_rows(pieces))
    owner = {id(piece): table for table in tables for piece in table.pieces}
    written: set[int] = set()
    blocks: list[str] = []
    line: list[Piece] = []
    for piece in pieces:
        table = owner.get(id(piece))
        if line and (table is not None or piece.line != line[-1].line):
            blocks.append(" ".join(each.text for each in line))
            line = []
        if table is None:
            line.append(piece)
        elif id(table) not in written:
            written.add(id(table))
            blocks.append(_as_block(table))
    if line:
        blocks.append(" ".join(each.text for each in line))
    text = "\n".join(blocks)
    return PageText(mend_hyphens(text), len(tables))


def visual_rows(pieces: Sequence[Piece]) -> list[Row]:
    """The pieces in rows by their height, from the top down, each row from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (-piece.top, piece.left)):
        near = (row for row in rows[-4:] if _beside(row[0], piece))
        row = next(near, None)
        if row is None:
            rows.append([piece])
        else:
            row.append(piece)
    return [sorted(row, key=lambda piece: piece.left) for row in rows]


def _beside(one: Piece, other: Piece) -> bool:
    overlap = min(one.top, other.top) - max(one.bottom, other.bottom)
    return overlap > _SAME_ROW * min(one.top - one.bottom, other.top - other.bottom)


def _as_block(table: TableOfPieces) -> str:
    return "\n" + pipe_table(table.cells, table.heading_rows) + "\n"
