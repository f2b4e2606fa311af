"""Paragraphs of text, wrapped to the width at hand."""

from __future__ import annotations

from engine.text.wrapping import wrap
from tui.widgets.line import Piece
from tui.widgets.sheet import Lay

LONGEST = 90
"""Cells of a line that is still read with ease."""


def wrapped(text: str, width: int, role: str = "") -> list[list[Piece]]:
    """The lines of one paragraph, all of a role; none for no text."""
    return [[(text[start:end], role)] for start, end in wrap(text, max(width, 1))]


def paragraphs(text: str) -> Lay:
    """Sentences to read, a line of the text a paragraph."""

    def lay(width: int) -> list[list[Piece]]:
        lines: list[list[Piece]] = [[]]
        for paragraph in text.split("\n"):
            lines += wrapped(paragraph, min(width, LONGEST))
        return lines

    return lay
