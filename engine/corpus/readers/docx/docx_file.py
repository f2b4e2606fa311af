"""Reads a DOCX file as one document, with its paragraphs, lists and tables in their order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions
from engine.corpus.readers.docx.package import DocxPackage
from engine.corpus.readers.docx.styles import Styles, child, path_value, plain, value
from engine.corpus.readers.pipe_table import check_columns, pipe_table
from store.errors import InputError
from store.records import Source

_NOT_TEXT = frozenset({"pPr", "rPr", "del", "moveFrom", "Fallback", "instrText", "rt", "delText"})
"""Elements whose text is not the document's, such as what tracked changes took away."""
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_WIDEST_SPAN = 100


class Block:
    """A paragraph or table as text."""

    __slots__ = ("heading", "is_item", "text")

    def __init__(self, text: str, heading: int = 0, is_item: bool = False) -> None:
        self.text = text
        self.heading = heading
        self.is_item = is_item


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields one document in Markdown's form, titled by the first heading.

    Inserted text counts and deleted text does not, as if all tracked changes were accepted.
    Headers, footers, footnotes and comments are left out.
    """
    with DocxPackage(path) as package:
        body = child(package.document(), "body")
        if body is None:
            raise InputError("the DOCX holds no document")
        styles = Styles(package.beside("styles.xml"), package.beside("numbering.xml"))
        blocks = list(_blocks(body, styles))
    title = next((block.text for block in blocks if block.heading), path.stem)
    yield ReadDocument(_joined(blocks), Source(given, title=title))


def _blocks(body: Any, styles: Styles) -> Iterator[Block]:
    counters: dict[str, list[int]] = {}
    for element in _block_elements(body):
        if plain(element) == "tbl":
            if text := _table_text(element):
                yield Block(text)
            continue
        if text := _text(element):
            yield _paragraph(element, text, styles, counters)
        for box in _text_boxes(element):
            yield from _blocks(box, styles)


def _block_elements(container: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, including those inside content controls and insertions."""
    pending = list(reversed(container))
    while pending:
        element = pending.pop()
        name = plain(element)
        if name in ("p", "tbl"):
            yield element
        elif name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"):
            pending.extend(reversed(element))


def _paragraph(element: Any, text: str, styles: Styles, counters: dict[str, list[int]]) -> Block:
    if heading := styles.heading(element):
        return Block(" ".join(text.split()), heading=heading)
    numbering = styles.numbering(element)
    if numbering is None:
        return Block(text)
    counts = counters.setdefault(numbering.list_id, [])
    del counts[numbering.level + 1 :]
    counts += [0] * (numbering.level + 1 - len(counts))
    counts[numbering.level] += 1
    mark = f"{counts[numbering.level]}." if numbering.is_ordered else "-"
    return Block(f"{'  ' * numbering.level}{mark} {text}", is_item=True)


def _text(element: Any) -> str:
    """The text of a paragraph, without that of its text boxes."""
    parts: list[str] = []
    pending = list(reversed(element))
    while pending:
        each = pending.pop()
        name = plain(each)
        if name in _NOT_TEXT or name == "txbxContent":
            continue
        if name == "t":
            parts.append(each.text or "")
        elif name == "r" and path_value(each, "rPr", "vertAlign") == "superscript":
            parts.append(_raised(_text(each)))
        elif name in _SIGNS:
            parts.append(_SIGNS[name])
        else:
            pending.extend(reversed(each))
    return "".join(parts).strip()


def _raised(text: str) -> str:
    # a raised number would otherwise be read as digits of the one before it
    return f"^{text}" if text.isdigit() else text


def _text_boxes(paragraph: Any) -> Iterator[Any]:
    for each in paragraph.iterdescendants():
        if plain(each) == "txbxContent" and not any(
            plain(above) in ("Fallback", "txbxContent") for above in each.iterancestors()
        ):
            yield each


def _table_text(table: Any) -> str:
    rows: list[list[str]] = []
    headings = 0
    for row in table.iterdescendants():
        if plain(row) != "tr" or _table_of(row) is not table:
            continue
        if headings == len(rows) and path_value(row, "trPr", "tblHeader") not in ("0", "false"):
            properties = child(row, "trPr")
            if properties is not None and child(properties, "tblHeader") is not None:
                headings += 1
        rows.append(_row(row, rows[-1] if rows else []))
    return pipe_table(rows, headings if 0 < headings < len(rows) else None)


def _table_of(row: Any) -> Any:
    return next(above for above in row.iterancestors() if plain(above) == "tbl")


def _row(row: Any, above: list[str]) -> list[str]:
    """The cells of a row; a cell merged with the one above repeats its text."""
    cells: list[str] = []
    for cell in _cells(row):
        properties = child(cell, "tcPr")
        merge = None if properties is None else child(properties, "vMerge")
        if merge is not None and value(merge) != "restart" and len(cells) < len(above):
            text = above[len(cells)]
        else:
            text = _cell_text(cell)
        span = path_value(properties, "gridSpan")
        width = min(int(span[:9]), _WIDEST_SPAN) if span.isdecimal() else 1
        cells += [text] + [""] * (max(width, 1) - 1)
        check_columns(cells)
    return cells


def _cells(row: Any) -> Iterator[Any]:
    for each in row:
        if plain(each) == "tc":
            yield each
        elif plain(each) == "sdt":
            content = child(each, "sdtContent")
            yield from () if content is None else _cells(content)


def _cell_text(cell: Any) -> str:
    """The paragraphs of a cell, tables inside it included, in one line."""
    paragraphs = (each for each in cell.iterdescendants() if plain(each) == "p")
    return " ".join(text for paragraph in paragraphs if (text := _text(paragraph)))


def _joined(blocks: list[Block]) -> str:
    parts: list[str] = []
    for place, block in enumerate(blocks):
        if place:
            parts.append("\n" if block.is_item and blocks[place - 1].is_item else "\n\n")
        parts.append(f"{'#' * block.heading} {block.text}" if block.heading else block.text)
    return "".join(parts)
