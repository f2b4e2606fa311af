"""Finds the tables in a text: those in HTML, then runs of lines in Markdown or CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from engine.text.tables.html import html_tables
from engine.text.tables.records import Cell, Row, Table, table_of
from engine.text.tables.values import is_value, is_year

_LINE = re.compile(r"[^\n\r]*[^\s][^\n\r]*")
_BREAK = re.compile(r"[^\S\n\r]*(?:\r\n|\n|\r)[^\S\n\r]*")
_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_BAR = re.compile(r"(?<!\\)\|")
_QUOTED = r'"(?:[^"]|"")*"'
_SEPARATORS = {
    separator: re.compile(rf'(?P<quoted>{_QUOTED})(?={separator}|$)|[^{separator}"]*')
    for separator in ("\t", ",")
}
_PROSE = re.compile(r"[。！？；]|[.!?]\s")
LEAST_LINES = 3
"""Of a table in CSV: fewer are more likely prose that happens to have commas."""

Span = tuple[int, int]


@lru_cache(maxsize=64)
def tables(text: str) -> tuple[Table, ...]:
    """The tables of a text in their order; they do not overlap.

    What is ragged, nested or broken off is none, so that it is read as it was written.
    """
    found: list[Table] = []
    begin = 0
    for table in html_tables(text):
        found += _in_lines(text, begin, table.start)
        found.append(table)
        begin = table.end
    return (*found, *_in_lines(text, begin, len(text)))


def _in_lines(text: str, start: int, end: int) -> Iterator[Table]:
    for block in _blocks(text, start, end):
        table = _of_pipes(text, block) if text[block[0][0]] == "|" else _separated(text, block)
        if table is not None:
            yield table


def _blocks(text: str, start: int, end: int) -> Iterator[list[Span]]:
    """Runs of lines, trimmed, that all begin with a bar, or of which none does; only those of
    several lines."""
    if not _may_hold_a_table(text, start, end):
        return
    block: list[Span] = []
    for match in _LINE.finditer(text, start, end):
        line = _trimmed(text, *match.span())
        is_next = block and _BREAK.fullmatch(text, block[-1][1], line[0])
        if not is_next or (text[line[0]] == "|") != (text[block[0][0]] == "|"):
            if len(block) > 1:
                yield block
            block = []
        block.append(line)
    if len(block) > 1:
        yield block


def _may_hold_a_table(text: str, start: int, end: int) -> bool:
    return any(text.find(sign, start, end) >= 0 for sign in "|,\t")


def _of_pipes(text: str, lines: Sequence[Span]) -> Table | None:
    rules = [at for at, line in enumerate(lines) if _RULE.fullmatch(text, *line)]
    if len(rules) > 1:
        return None
    rows = [_pipe_row(text, line) for line in lines]
    if len({len(row.cells) for row in rows}) != 1 or len(rows[0].cells) < 2:
        return None
    said = [row for at, row in enumerate(rows) if at not in rules]
    return table_of(lines[0][0], lines[-1][1], said, rules[0] if rules else None)


def _pipe_row(text: str, line: Span) -> Row:
    start, end = line
    bars = [match.start() for match in _BAR.finditer(text, start + 1, end)]
    cuts = [start, *bars] if bars and bars[-1] == end - 1 else [start, *bars, end]
    spans = [(left + 1, right) for left, right in pairwise(cuts)]
    return Row(start, end, tuple(_cell(text, *_trimmed(text, *span)) for span in spans))


def _separated(text: str, lines: Sequence[Span]) -> Table | None:
    for separator, pattern in _SEPARATORS.items():
        rows = [_separated_row(text, line, separator, pattern) for line in lines]
        while rows and len(rows[0].cells) < 2:
            rows.pop(0)
        while rows and len(rows[-1].cells) < 2:
            rows.pop()
        if len(rows) < LEAST_LINES or not _is_heading(rows[0]):
            continue
        if separator == "," and any(map(_is_prose, rows)):
            continue
        table = table_of(rows[0].start, rows[-1].end, rows, 1)
        if table is not None:
            return table
    return None


def _separated_row(text: str, line: Span, separator: str, pattern: re.Pattern[str]) -> Row:
    """The cells of a line; one cell where its quotation marks do not match."""
    start, end = line
    cells: list[Cell] = []
    at = start
    while match := pattern.match(text, at, end):
        cells.append(_unquoted(text, match) if match["quoted"] else _cell(text, *match.span()))
        at = match.end()
        if at >= end:
            return Row(start, end, tuple(cells))
        if text[at] != separator:
            break
        at += 1
    return Row(start, end, (_cell(text, start, end),))


def _is_heading(row: Row) -> bool:
    """Whether the cells name columns: a line of prose or of figures with commas does not."""
    return all(cell.text and (not is_value(cell.text) or is_year(cell.text)) for cell in row.cells)


def _is_prose(row: Row) -> bool:
    return any(
        cell.text[:1].isspace() or _PROSE.search(cell.text)
        for cell in row.cells
        if cell.offsets and cell.start == cell.offsets[0]  # not in quotation marks
    )


def _unquoted(text: str, match: re.Match[str]) -> Cell:
    """A quoted cell without its marks; a doubled one inside is one."""
    start, end = match.span()
    offsets = [one.start() for one in re.compile(r'""|[^"]').finditer(text, start + 1, end - 1)]
    return Cell(start, end, "".join(text[at] for at in offsets), offsets)


def _cell(text: str, start: int, end: int) -> Cell:
    return Cell(start, end, text[start:end], range(start, end))


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
