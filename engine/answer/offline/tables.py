"""Tables of a passage in Markdown's pipe form: rows with their label, cells with their column."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from engine.text.numbers import Number, numbers

_ROW = re.compile(r"^[ \t]*\|.*\|?[ \t]*$", re.MULTILINE)
_YEAR = re.compile(r"(?:FY ?|fiscal )?(?:19|20)\d\d年?", re.IGNORECASE)
_RULE = re.compile(r"[\s|:-]+")


class Cell(Struct, frozen=True):
    """A cell's text, trimmed; `start` and `end` are offsets in the passage's text."""

    text: str
    start: int
    end: int
    header: str
    """The texts above it, outermost first."""

    @property
    def number(self) -> Number | None:
        """Its number, when a number is what it holds; read only when asked for."""
        return _cell_number(self.text)


class Row(Struct, frozen=True):
    label: str
    section: str
    """The last heading row above it, such as `Operating income (loss):`; may be empty."""
    cells: tuple[Cell, ...]
    """The cells after the label."""
    start: int
    end: int
    table: int
    """Where its table begins in the text."""


def table_rows(text: str) -> list[Row]:
    """The data rows of all pipe tables in `text`, in order.

    Header rows are those above the rule, and those right below it that have no label or hold
    nothing but years.
    """
    rows: list[Row] = []
    block: list[re.Match[str]] = []
    for match in _ROW.finditer(text):
        if block and text[block[-1].end() : match.start()].strip("\r") != "\n":
            rows.extend(_read_block(text, block))
            block = []
        block.append(match)
    if block:
        rows.extend(_read_block(text, block))
    return rows


def _read_block(text: str, lines: list[re.Match[str]]) -> list[Row]:
    headers: list[list[str]] = []
    section = ""
    rows: list[Row] = []
    seen_rule = False
    for number, line in enumerate(lines):
        if _RULE.fullmatch(line.group()) and "-" in line.group():
            seen_rule = True
            continue
        cells = _cells(text, line)
        label = text[cells[0][0] : cells[0][1]]
        values = cells[1:]
        filled = [text[start:end] for start, end in values if start < end]
        are_years = bool(filled) and all(map(_YEAR.fullmatch, filled))
        if (not seen_rule and number == 0) or (not rows and (not label or are_years)):
            headers.append([text[start:end] for start, end in cells])
        elif label and not filled:
            section = label
        else:
            made = tuple(
                Cell(text[start:end], start, end, _header(headers, column + 1))
                for column, (start, end) in enumerate(values)
                if start < end
            )
            rows.append(Row(label or section, section, made, *line.span(), lines[0].start()))
    return rows


def _cells(text: str, line: re.Match[str]) -> list[tuple[int, int]]:
    """Trimmed spans of a row's cells, empty ones included."""
    first = text.index("|", line.start())
    last = line.end()
    while last > first + 1 and text[last - 1] in " \t|":
        last -= 1
        if text[last] == "|":
            break
    spans = []
    start = first + 1
    for position in [*_bars(text, start, last), last]:
        begin, end = start, position
        while begin < end and text[begin] in " \t":
            begin += 1
        while end > begin and text[end - 1] in " \t":
            end -= 1
        spans.append((begin, end))
        start = position + 1
    return spans


def _bars(text: str, start: int, end: int) -> list[int]:
    return [start + i for i, char in enumerate(text[start:end]) if char == "|"]


def _header(headers: list[list[str]], column: int) -> str:
    """The header of a column; an empty header cell takes the one to its left (merged cells)."""
    parts = []
    for row in headers:
        at = min(column, len(row) - 1)
        while at > 0 and not row[at]:
            at -= 1
        if at > 0 or column == 0:
            parts.append(row[at])
    return " ".join(part for part in parts if part)


@lru_cache(maxsize=16384)
def _cell_number(value: str) -> Number | None:
    figures = numbers(value)
    is_number = len(figures) == 1 and figures[0].end - figures[0].start >= 0.6 * len(value)
    return figures[0] if is_number else None
