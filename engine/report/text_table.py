"""A table as lines of text: columns aligned by cells, in the width that there is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import zip_longest

from engine.text.wrapping import ELLIPSIS, cell_width, pad, printable, truncate, wrap

GAP = 2
_HEAD_LINES = 3
_NAME_CELLS, _TEXT_CELLS = 24, 18
"""Cells that the first column, and any other text, keep before a table goes on below instead."""
_LEAST_CELLS = 12
"""Cells that a text keeps where that lets the table stand in one piece."""
_FIGURE = re.compile(r"(?:[\d.,%+\-/()<>~!? ]|to|至|n <)*")
"""A number, an interval, a count of so many: never cut, and to the right."""
_INTERVAL = re.compile(r"(?=.*\d to \S)(?:[\d.,%+\-() ]|to|n )*")
"""A figure that holds a word."""
_SENTENCE = re.compile(r"[\s，。；、：！？]")
"""A text with one of these may be broken into lines; any other is a name."""
_PARTS = re.compile(r"\s+|(?<=[_/-])|(?=[^\x00-\x7f])|(?<=[^\x00-\x7f])")
"""Places where a head may be broken."""

_Row = list[str]
"""The lines of a row."""
_Part = tuple[list[str], list[_Row]]
"""The lines of the heads, and the rows."""


_saying: Callable[[str], str] = str


def say_by(saying: Callable[[str], str]) -> None:
    """Has heads and sentences of printed tables said by `saying` from now on: in the language of
    whoever reads them."""
    global _saying
    _saying = saying


def said(text: str) -> str:
    """Returns a head or a sentence as `say_by` has it said; as it is by default."""
    return _saying(text)


def table_lines(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None = None,
    keys: int = 1,
    right_from: int | None = None,
    grouped: bool = False,
    worded: Collection[str] = (),
) -> list[str]:
    """The lines of a table, none wider than `width` cells; in full where that is None.

    What is too wide gives way in this order: with `grouped` the first column stands on lines of
    its own above its rows; heads are broken; the widest sentences are broken, and names cut and
    marked so; what is left goes on below, where the first `keys` columns are repeated. Figures are
    never cut. Columns from `right_from` on are to the right; by default those that hold figures
    only. Cells under a head of `worded` are words of the program, and said as heads are.
    """
    are_words = [head in worded for head in header]
    cells = [
        [
            _plain(said(text) if is_word or _INTERVAL.fullmatch(text) else text)
            for text, is_word in zip(row, are_words, strict=False)
        ]
        for row in rows
    ]
    columns = [
        _Column(_plain(said(head)), [row[at] for row in cells], at, right_from)
        for at, head in enumerate(header)
    ]
    if width is None or _total(columns) <= width:
        return _joined([_part(columns)])
    if grouped and len(columns) > 2:
        return _stacked(columns, width, max(keys - 1, 1))
    return _joined(_fitted(columns, width, keys))


def sentence_lines(text: str, width: int | None) -> list[str]:
    """A sentence of the program in lines of at most `width` cells; in one without it."""
    return paragraph_lines(said(text), width)


def paragraph_lines(text: str, width: int | None, *, indent: int = 0) -> list[str]:
    """A paragraph as it stands in lines of at most `width` cells, further ones indented; in one
    without it."""
    shown = printable(text)
    if width is None:
        return [shown]
    pieces = wrap(shown, width - indent)
    return [
        " " * (indent if number else 0) + shown[start:end]
        for number, (start, end) in enumerate(pieces)
    ]


class _Column:
    """A column with the width that it is given."""

    def __init__(self, head: str, cells: list[str], at: int, right_from: int | None) -> None:
        self.cells = cells
        self.is_figures = all(_FIGURE.fullmatch(text) for text in cells)
        self.is_right = self.is_figures if right_from is None else at >= right_from
        self.content = max(map(cell_width, cells), default=0)
        self.floor = _NAME_CELLS if at == 0 else _TEXT_CELLS
        self.least = _NAME_CELLS if at == 0 else _LEAST_CELLS
        self.heads = [head]
        self.width = max(self.content, cell_width(head))

    def fold(self) -> None:
        """Breaks the head where it makes the column wider than what stands in it."""
        head = self.heads[0]
        longest = max(map(cell_width, _PARTS.split(head)))
        # one cell less is not worth a broken word
        for width in range(max(self.content, longest), self.width - 1):
            lines = wrap(head, width)
            if len(lines) <= _HEAD_LINES:
                self.heads = [head[start:end] for start, end in lines]
                self.width = max(self.content, *map(cell_width, self.heads))
                return

    def lines(self, text: str) -> list[str]:
        if cell_width(text) <= self.width or not _SENTENCE.search(text):
            return [self.line(_cut(text, self.width))]
        return [self.line(text[start:end]) for start, end in wrap(text, self.width)]

    def line(self, text: str) -> str:
        return pad(text, self.width, "right" if self.is_right else "left")


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)


def _fitted(columns: Sequence[_Column], width: int, keys: int) -> list[_Part]:
    for column in columns:
        column.fold()
    natural = [column.width for column in columns]
    for to_least in (False, True):
        _squeeze(columns, width, to_least=to_least)
        if _total(columns) <= width:
            return [_part(columns)]
    for column, full in zip(columns, natural, strict=True):
        column.width = full
    names, rest = columns[:keys], columns[keys:]
    widest = max(
        (column.width if column.is_figures else min(column.width, column.floor) for column in rest),
        default=0,
    )
    for column in names:
        column.least = _LEAST_CELLS // 2
    _squeeze(names, min(width - widest - GAP, 5 * width // 8), to_least=False)
    _squeeze(names, width - widest - GAP, to_least=True)
    room = width - _total(names) - GAP
    for column in rest:
        if not column.is_figures:
            column.width = max(min(column.width, room), 1)
    return [_part([*names, *beside]) for beside in _beside(rest, room)]


def _beside(columns: Sequence[_Column], room: int) -> Iterator[list[_Column]]:
    """The columns in groups that each fit into the room."""
    group: list[_Column] = []
    for column in columns:
        if group and _total([*group, column]) > room:
            yield group
            group = []
        group.append(column)
    yield group


def _squeeze(columns: Sequence[_Column], width: int, *, to_least: bool) -> None:
    """Takes cells from the widest texts until the columns fit, or none has one to spare above its
    floor or its least."""
    while _total(columns) > width:
        spare = {
            column: column.width - (column.least if to_least else column.floor)
            for column in columns
            if not column.is_figures
        }
        if max(spare.values(), default=0) <= 0:
            return
        max(spare, key=lambda column: spare[column]).width -= 1


def _stacked(columns: Sequence[_Column], width: int, keys: int) -> list[str]:
    """The first column as headings, each above its rows of one table."""
    names = columns[0].cells
    indent = " " * GAP if any(names) else ""
    parts: list[_Part] = []
    for heads, rows in _fitted(columns[1:], width - len(indent), keys):
        stacked: list[_Row] = []
        before = ""
        for name, row in zip(names, rows, strict=True):
            title = [truncate(name, width)] if name != before and name else []
            stacked.append([*title, *(indent + line for line in row)])
            before = name
        parts.append(([indent + head for head in heads], stacked))
    return _joined(parts)


def _part(columns: Sequence[_Column]) -> _Part:
    deepest = max(len(column.heads) for column in columns)
    heads = [[""] * (deepest - len(column.heads)) + column.heads for column in columns]
    shown = [
        _beside_each_other([column.line(text) for column, text in zip(columns, texts, strict=True)])
        for texts in zip(*heads, strict=True)
    ]
    return shown, [
        _row(columns, texts) for texts in zip(*(column.cells for column in columns), strict=True)
    ]


def _row(columns: Sequence[_Column], texts: Sequence[str]) -> _Row:
    cells = [column.lines(text) for column, text in zip(columns, texts, strict=True)]
    blank = [column.line("") for column in columns]
    return [
        _beside_each_other([text or empty for text, empty in zip(line, blank, strict=True)])
        for line in zip_longest(*cells, fillvalue="")
    ]


def _beside_each_other(texts: Sequence[str]) -> str:
    return (" " * GAP).join(texts).rstrip()


def _joined(parts: Sequence[_Part]) -> list[str]:
    lines: list[str] = []
    for heads, rows in parts:
        lines += [*([""] if lines else []), *heads, *(line for row in rows for line in row)]
    return lines


def _cut(text: str, width: int) -> str:
    """The name cut to the width: a path at its front, since its end tells it from others."""
    if cell_width(text) <= width or "/" not in text:
        return truncate(text, width)
    tail = text
    while cell_width(tail) > width - 1:
        tail = tail[1:]
    return ELLIPSIS + tail


def _plain(text: str) -> str:
    """In one line, and without what would move the cursor."""
    return text if text.isprintable() else printable(" ".join(text.splitlines()))
