"""Reads tables in HTML, with the offset of every character of their cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.text.tables.records import Cell, Row, Table, table_of

_TABLE = re.compile(r"<(/?)table\b[^>]*>", re.IGNORECASE)
_CAPTION = re.compile(r"\s*<caption\b.*?</caption\s*>", re.IGNORECASE | re.DOTALL)
_PART = re.compile(r"<(/?)(thead|tbody|tfoot|tr|td|th)\b([^>]*)>", re.IGNORECASE)
_SPAN = re.compile(r"(col|row)span\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)
_SIGN = re.compile(
    r"(?P<break><br\s*/?>)|(?P<tag></?[a-z!][^>]*>)|(?P<entity>&(?:#\d+|#x[0-9a-f]+|\w+);)"
    r"|(?P<space>[\s\u00a0]+)|.",
    re.IGNORECASE | re.DOTALL,
)
_WIDEST = 100
"""Columns or rows that a cell may span."""


def html_tables(text: str) -> Iterator[Table]:
    """The tables of a text in their order; of nested ones the innermost."""
    opened: re.Match[str] | None = None
    for tag in _TABLE.finditer(text):
        if not tag[1]:
            opened = tag
        elif opened is not None:
            # a caption is a line of text above the table
            caption = _CAPTION.match(text, opened.end(), tag.start())
            start = caption.end() if caption else opened.end()
            table = _read(text, caption.end() if caption else opened.start(), start, tag)
            opened = None
            if table is not None:
                yield table


def _read(text: str, start: int, inside: int, close: re.Match[str]) -> Table | None:
    rows: list[list[Cell]] = []
    places: list[tuple[int, int]] = []
    spans: dict[int, int] = {}
    headings, is_heading = 0, True
    cell_at, cell_spans = -1, ""
    last = inside
    parts: list[re.Match[str]] = [*_PART.finditer(text, inside, close.start()), close]
    for part in parts:
        if cell_at < 0 and _cell(text, last, part.start()).text:
            return None
        name = part[2].lower() if part is not close else ""
        if cell_at >= 0:
            _add(rows[-1], _cell(text, cell_at, part.start()), cell_spans, spans)
            cell_at = -1
        opens = not part[1]
        if name == "tr" and opens:
            _fill(rows, spans)
            rows.append([])
            places.append(part.span())
        elif name in ("td", "th") and opens:
            if not rows:
                return None
            is_heading = is_heading and name == "th"
            headings = len(rows) if is_heading else min(headings, len(rows) - 1)
            cell_at, cell_spans = part.end(), part[3]
        if rows:
            places[-1] = (places[-1][0], part.end())
        last = part.end()
    _fill(rows, spans)
    whole = [Row(*place, tuple(cells)) for place, cells in zip(places, rows, strict=True) if cells]
    return table_of(start, close.end(), whole, headings or None) if whole else None


def _add(row: list[Cell], cell: Cell, attributes: str, spans: dict[int, int]) -> None:
    """Puts a cell into the next column that no cell above reaches into."""
    _skip(row, spans)
    wanted = {name.lower(): min(int(count), _WIDEST) for name, count in _SPAN.findall(attributes)}
    for place in range(max(wanted.get("col", 1), 1)):
        if wanted.get("row", 1) > 1:
            spans[len(row)] = wanted["row"]
        row.append(cell if place == 0 else Cell(cell.end, cell.end))


def _skip(row: list[Cell], spans: dict[int, int]) -> None:
    while spans.get(len(row), 0) > 0:
        end = row[-1].end if row else 0
        row.append(Cell(end, end))


def _fill(rows: Sequence[list[Cell]], spans: dict[int, int]) -> None:
    """Ends a row: what spans it from above counts one row less."""
    if not rows:
        return
    _skip(rows[-1], spans)
    for column in list(spans):
        spans[column] -= 1


def _cell(text: str, start: int, end: int) -> Cell:
    """What a stretch of HTML says: without tags, entities as characters, runs of spaces as one."""
    # imported only now: its list of entities takes half a megabyte, and few texts hold a table
    from html import unescape

    said: list[str] = []
    offsets: list[int] = []
    for sign in _SIGN.finditer(text, start, end):
        if sign["tag"]:
            continue
        shown = " " if sign["space"] or sign["break"] else unescape(sign[0])
        if shown.isspace() and (not said or said[-1] == " "):
            continue
        said += shown
        offsets += [sign.start()] * len(shown)
    while said and said[-1] == " ":
        said.pop()
        offsets.pop()
    return Cell(start, end, "".join(said), offsets)
