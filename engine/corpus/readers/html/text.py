"""Writes an HTML element as text, with headings, lists and tables in Markdown."""

from __future__ import annotations

import re
from typing import Any

from engine.corpus.readers.html.tags import BLOCKS
from engine.corpus.readers.pipe_table import check_columns, pipe_table
from engine.text.segmentation import CJK

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BREAK = "\v"
_BETWEEN_HAN = re.compile(rf"(?<=[{CJK}，。；：、！？）”])[ \t]*[\r\n]\s*(?=[{CJK}（“])")
_WIDEST_SPAN = 100
"""Columns that a cell may claim; pages have been seen to claim thousands."""


def markdown(element: Any) -> str:
    """The text of `element`, with blank lines between blocks."""
    return _Writer().write(element)


def inline_text(element: Any) -> str:
    """The text of `element` in one line; breaks and blocks inside it become spaces."""
    from lxml import etree

    if not len(element):
        return _flowed(_raised(element) + (element.text or ""))
    parts: list[str] = []
    for event, each in etree.iterwalk(element, events=("start", "end")):
        if each.tag in BLOCKS or each.tag == "br":
            parts.append(" ")
        if event == "start":
            parts.append(_raised(each) + (each.text or ""))
        elif each is not element:
            parts.append(each.tail or "")
    return _flowed("".join(parts))


class _Writer:
    """Walks an element without recursion, since pages may be nested to any depth."""

    def __init__(self) -> None:
        self._blocks: list[tuple[str, bool]] = []
        """Text and whether it is an item of a list."""
        self._open: list[str] = []
        self._mark = ""
        """The mark before the next block."""
        self._counters: list[int | None] = []
        """Last number of each list around; null for one without numbers."""
        self._preformatted = 0

    def write(self, root: Any) -> str:
        from lxml import etree

        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                self._start(element)
                if element.tag == "table" and is_data_table(element):
                    self._add(table_text(element))
                    walk.skip_subtree()
                    continue
                self._open.append(_raised(element) + (element.text or ""))
            else:
                self._end(element)
                if element is not root:
                    self._open.append(element.tail or "")
        self._flush()
        return self._text()

    def _start(self, element: Any) -> None:
        tag = element.tag
        if tag == "br":
            self._open.append(_BREAK)
        if tag not in BLOCKS:
            return
        self._flush()
        if tag in _HEADINGS:
            self._mark = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._counters.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._mark = self._item_mark()
        elif tag == "pre":
            self._preformatted += 1

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag not in BLOCKS:
            return
        self._flush()
        if tag in _HEADINGS or tag == "li":
            self._mark = ""
        if tag in ("ul", "ol") and self._counters:
            self._counters.pop()
        elif tag == "pre":
            self._preformatted -= 1

    def _item_mark(self) -> str:
        indent = "  " * max(0, len(self._counters) - 1)
        number = self._counters[-1] if self._counters else None
        if number is None:
            return f"{indent}- "
        self._counters[-1] = number + 1
        return f"{indent}{number + 1}. "

    def _flush(self) -> None:
        raw = "".join(self._open)
        self._open = []
        if self._preformatted:
            self._add(raw.strip("\r\n"))
            return
        lines = [line for part in raw.split(_BREAK) if (line := _flowed(part))]
        if self._mark.startswith("#"):
            lines = [" ".join(lines)] if lines else []
        self._add("\n".join(lines))

    def _add(self, text: str) -> None:
        if text.strip():
            self._blocks.append((self._mark + text, bool(self._mark) and self._mark[0] != "#"))
            # a second paragraph of an item begins without the mark
            self._mark = ""

    def _text(self) -> str:
        parts: list[str] = []
        for place, (text, is_item) in enumerate(self._blocks):
            if place:
                parts.append("\n" if is_item and self._blocks[place - 1][1] else "\n\n")
            parts.append(text)
        return "".join(parts)


def is_data_table(table: Any) -> bool:
    """Whether a table holds data: rows of several short cells and no table inside, rather than a
    page laid out in cells."""
    if next(table.iterdescendants("table"), None) is not None:
        return False
    filled = [sum(bool(inline_text(cell)) for cell in _cells(row)) for row in table.iter("tr")]
    return sum(count > 1 for count in filled) > 1


def table_text(table: Any) -> str:
    """The table in pipe form, after its caption."""
    rows: list[list[str]] = []
    headings = 0
    below: dict[int, tuple[int, str]] = {}
    for row in table.iter("tr"):
        cells, below = _row(row, below)
        rows.append(cells)
        if headings == len(rows) - 1 and _is_heading(row):
            headings += 1
    caption = next((inline_text(each) for each in table.iter("caption")), "")
    text = pipe_table(rows, headings if 0 < headings < len(rows) else None)
    return f"{caption}\n\n{text}" if caption else text


def _cells(row: Any) -> list[Any]:
    return [cell for cell in row if cell.tag in ("td", "th")]


def _is_heading(row: Any) -> bool:
    cells = _cells(row)
    return next(row.iterancestors("thead"), None) is not None or (
        bool(cells) and all(cell.tag == "th" for cell in cells)
    )


def _row(
    row: Any, above: dict[int, tuple[int, str]]
) -> tuple[list[str], dict[int, tuple[int, str]]]:
    """The row's cells, and by column how many rows below, and with what, its tall cells fill.

    A wide cell of a heading stands over each of its columns; any other fills the first alone.
    """
    texts: list[str] = []
    below: dict[int, tuple[int, str]] = {}

    def fill_from_above() -> None:
        while len(texts) in above:
            rows, text = above[len(texts)]
            if rows > 1:
                below[len(texts)] = (rows - 1, text)
            texts.append(text)

    heads = _is_heading(row)
    for cell in _cells(row):
        fill_from_above()
        text = inline_text(cell)
        repeats = heads or cell.tag == "th" or not any(texts[:1])
        for place in range(_span(cell, "colspan")):
            shown = text if place == 0 or (repeats and len(texts)) else ""
            if (rows := _span(cell, "rowspan")) > 1:
                below[len(texts)] = (rows - 1, shown)
            texts.append(shown)
        check_columns(texts)
    fill_from_above()
    return texts, below


def _span(cell: Any, name: str) -> int:
    value = cell.get(name, "1").strip()
    return min(max(int(value[:9]), 1), _WIDEST_SPAN) if value.isascii() and value.isdigit() else 1


def _raised(element: Any) -> str:
    """The sign of a superscript number, which would otherwise join the digits before it."""
    return "^" if element.tag == "sup" and (element.text or "").strip().isdigit() else ""


def _flowed(text: str) -> str:
    """The text in one line; Chinese continues without a space where its source breaks lines."""
    return " ".join(_BETWEEN_HAN.sub("", text.replace("\u3000", " ")).split())
