"""Reads a PDF as one document for each page, with tables of numbers as pipe tables.

A PDF says where letters stand, not what is a table. A table is recognised by numbers that stand
below each other: rows of a label and one or more values, whose values share columns. Text of
other pieces keeps the order of the file, so that pages set in two columns are read column by
column. Every piece is written once, whatever is recognised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions, Refusal
from engine.corpus.readers.pdf.columns import Row
from engine.corpus.readers.pdf.glyphs import Pdf
from engine.corpus.readers.pdf.pieces import Piece, mend_hyphens, pieces
from engine.corpus.readers.pdf.table import TableOfPieces, find_tables
from engine.corpus.readers.pipe_table import pipe_table
from store.errors import InputError
from store.records import Source

_SAME_ROW = 0.5
"""Share of the lower of two pieces that must stand beside the other."""
_PICTURE = "no text layer: its letters are pictures or outlines, as in a scan;"
_REMEDY = "make it searchable first (OCR, for example with ocrmypdf)"


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields each page, located as `page N` from 1 as in a viewer, titled by the file name.

    A page is a document, so that an answer can cite it and a long report is held a page at a time.
    Blank pages are passed over; pictures of pages are refused, once for the file if it has no
    others.
    """
    with Pdf(path) as pdf:
        pictures: list[Read] = []
        others = 0
        for number in range(1, pdf.page_count + 1):
            locator = f"page {number}"
            try:
                content = pdf.page(number)
            except InputError as error:
                others += 1
                yield Refusal(given, locator, str(error))
                continue
            if content.glyphs:
                others += 1
                yield from pictures
                pictures = []
                source = Source(given, title=path.stem, locator=locator)
                yield ReadDocument(page_text(pieces(content.glyphs)), source)
            elif content.is_drawn_on:
                pictures.append(Refusal(given, locator, f"the page has {_PICTURE} {_REMEDY}"))
        if pictures and not others:
            raise InputError(f"the PDF has {_PICTURE}", _REMEDY)
        yield from pictures
        if not others and not pictures:
            raise InputError("the PDF is blank: nothing is on its pages")


def page_text(pieces: Sequence[Piece]) -> str:
    """The text of a page from its pieces in file order."""
    owner = {
        id(piece): table for table in find_tables(visual_rows(pieces)) for piece in table.pieces
    }
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
    return mend_hyphens("\n".join(blocks))


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
