"""The numbering of cells: one number for each character in a style, so that rows compare fast.

0 is a cell of which nothing is known. A wide character takes two cells, `n` and `-n`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import get_character_cell_size, split_graphemes

from tui.painting.pen import PLAIN

UNKNOWN = 0
CELLS_KEPT = 20_000
"""Different cells known at once: about 5 MB."""
STRETCHES_KEPT = 512

_STYLE = re.compile(r"\x1b\[([0-9;]*)m")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
# What terminals disagree about: pictographs, flags, joiners, and marks put on the one before.
_UNSURE = re.compile("[\u200b-\u200f\ufe00-\ufe0f\U0001f000-\U0001ffff\U000e0000-\U000e0fff]")
_SIGNS = range(0x2190, 0x2C00)
"""Arrows to dingbats: those that are wide here are pictographs, narrow in older terminals."""


class NotUnderstoodError(ValueError):
    """The output is something other than styled text."""


class _OfStyle(dict[str, int]):
    """The numbers of the characters of one style; a new character gets the next number."""

    def __init__(self, table: CellTable, style: str) -> None:
        self._table = table
        self._style = style

    def __missing__(self, text: str) -> int:
        number = self[text] = self._table.add(text, self._style)
        return number


class CellTable:
    """Gives the cells their numbers, and knows what a number stands for."""

    def __init__(self) -> None:
        self.texts = [""]
        self.styles = [PLAIN]
        self.widths = [1]
        self.unsure: set[int] = set()
        """Cells of which terminals disagree how wide they are."""
        self._of_style: dict[str, _OfStyle] = {}
        self.read = lru_cache(STRETCHES_KEPT)(self._read)

    @property
    def is_full(self) -> bool:
        return len(self.texts) > CELLS_KEPT

    def number(self, text: str, style: str) -> int:
        """The number of one character, with the marks on it, in a style."""
        if (known := self._of_style.get(style)) is None:
            known = self._of_style[style] = _OfStyle(self, style)
        return known[text]

    def add(self, text: str, style: str) -> int:
        """A number for a cell that has none yet."""
        width = sum(cells for _, _, cells in split_graphemes(text)[0])
        if width not in (1, 2):
            raise NotUnderstoodError(f"{text!r} takes {width} cells")
        number = len(self.texts)
        self.texts.append(text)
        self.styles.append(style)
        self.widths.append(width)
        is_pictograph = width == 2 and ord(text[0]) in _SIGNS
        if len(text) > 1 or is_pictograph or _UNSURE.search(text):
            self.unsure.add(number)
        return number

    def blank(self, number: int) -> int:
        """A space in the style of a cell, which may be the second of a wide one."""
        return self.number(" ", self.styles[abs(number)])

    def _read(self, stretch: str) -> Sequence[int]:
        """The cells of a stretch of text with its styles, as Textual draws it.

        Each style begins in plain text and ends with a reset; NotUnderstoodError for anything else.
        """
        cells: list[int] = []
        style = PLAIN
        first, *pairs = _STYLE.split(stretch)
        self._put(cells, first, style)
        for said, text in zip(pairs[::2], pairs[1::2], strict=True):
            if said in ("", "0"):
                style = PLAIN
            elif style == PLAIN:
                style = said
            else:
                raise NotUnderstoodError(f"style {said} on top of style {style}")
            self._put(cells, text, style)
        if style != PLAIN:
            raise NotUnderstoodError(f"style {style} is left on")
        return cells

    def _put(self, cells: list[int], text: str, style: str) -> None:
        if not text:
            return
        if _CONTROL.search(text):
            raise NotUnderstoodError(f"control characters in {text!r}")
        if (known := self._of_style.get(style)) is None:
            known = self._of_style[style] = _OfStyle(self, style)
        if text.isascii():
            cells.extend(map(known.__getitem__, text))
            return
        widths = self.widths
        for character in _characters(text):
            number = known[character]
            cells.append(number)
            if widths[number] == 2:
                cells.append(-number)


def _characters(text: str) -> Sequence[str]:
    """The characters of a text, each with the marks on it."""
    if _UNSURE.search(text) is None and all(map(get_character_cell_size, text)):
        return text
    return [text[start:end] for start, end, _ in split_graphemes(text)[0]]
