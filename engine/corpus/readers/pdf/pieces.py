"""Pieces of text with their boxes, as they are placed on a page of a PDF."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from msgspec import Struct

from engine.text.tables.values import CURRENCY_SIGNS, is_value

COLUMN_GAP = 0.9
"""White space between two pieces of one line, as a share of the height of their letters; the
space between words is about a quarter of it, half in stretched lines."""

LINE_HYPHEN = "\x02"
"""PDFium's character for a hyphen at the end of a line, with no line break after it."""

_WORD = re.compile(r"[^\W\d_]+")


class Glyph(Struct, frozen=True):
    """A character of the page and its box in points, y upwards."""

    char: str
    left: float
    bottom: float
    right: float
    top: float


class Piece(Struct, frozen=True):
    """Adjacent characters of one line; boxes are in points, y upwards."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    line: int
    """Number of its line in the order of the file, which is the order of reading."""

    @property
    def centre(self) -> float:
        return (self.left + self.right) / 2


def pieces(glyphs: Iterable[Glyph]) -> list[Piece]:
    """The pieces of a page, in the order of the file."""
    placed: list[Piece] = []
    for line, members in enumerate(_lines(glyphs)):
        run: list[Glyph] = []
        for glyph in members:
            if run and not glyph.char.isspace() and _is_parted(run, glyph):
                placed += _piece(run, line)
                run = []
            run.append(glyph)
        placed += _piece(run, line)
    return placed


def mend_hyphens(text: str) -> str:
    """The text of a page with each hyphen at a line's end kept, or taken out where the page has
    the word whole elsewhere.

    Reports that are not hyphenated break lines at hyphens that belong to a word (`long-term`);
    only the other places of the word tell which kind one is.
    """
    parts = text.split(LINE_HYPHEN)
    if len(parts) == 1:
        return text
    words = set(_WORD.findall(text.lower()))
    mended = [parts[0]]
    for before, after in pairwise(parts):
        word = (_word_end(before) + _word_start(after)).lower()
        mended += ["" if word in words else "-", after]
    return "".join(mended)


def _lines(glyphs: Iterable[Glyph]) -> Iterator[list[Glyph]]:
    line: list[Glyph] = []
    for glyph in glyphs:
        if glyph.char in "\r\n":
            if line:
                yield line
            line = []
        else:
            line.append(glyph)
    if line:
        yield line


def _is_parted(run: list[Glyph], after: Glyph) -> bool:
    """Whether the next glyph belongs to another column than the run before it."""
    before = next((glyph for glyph in reversed(run) if not glyph.char.isspace()), run[-1])
    if before.char == LINE_HYPHEN:
        return False
    if after.char in CURRENCY_SIGNS and is_value(_text(run)):
        return True
    height = max(before.top - before.bottom, after.top - after.bottom, 1.0)
    gap = after.left - before.right
    # a step back by more than some letters is a new place on the page
    return gap > COLUMN_GAP * height or gap < -4 * height


def _piece(run: list[Glyph], line: int) -> list[Piece]:
    inked = [glyph for glyph in run if not glyph.char.isspace()]
    if not inked:
        return []
    return [
        Piece(
            text=_text(run),
            left=min(glyph.left for glyph in inked),
            bottom=min(glyph.bottom for glyph in inked),
            right=max(glyph.right for glyph in inked),
            top=max(glyph.top for glyph in inked),
            line=line,
        )
    ]


def _text(run: list[Glyph]) -> str:
    return "".join(glyph.char for glyph in run).strip()


def _word_end(text: str) -> str:
    start = len(text)
    while start and text[start - 1].isalpha():
        start -= 1
    return text[start:]


def _word_start(text: str) -> str:
    end = 0
    while end < len(text) and text[end].isalpha():
        end += 1
    return text[:end]
