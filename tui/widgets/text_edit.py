"""The pure parts of a text editor: cursor movements and deletions in characters, undo history.

The cursor steps over what a reader takes for one character: a letter with its accents, an emoji
with what is joined to it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from rich.cells import split_graphemes

from engine.text.wrapping import Line, cell_width, wrap

_WINDOW = 64
"""Characters looked at around the cursor; no character that people write is longer."""
_SPACES = " \t\u3000"
_CJK = "\u3041-\u30fa\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_WORD = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

STEPS_KEPT = 1000


def typed(text: str) -> str:
    """What may enter a text of what was typed or pasted: one kind of line end, no control signs."""
    return _UNWANTED.sub("", _ENDS.sub("\n", text))


def before(text: str, at: int) -> int:
    """The offset one character to the left."""
    if at <= 0:
        return 0
    start = max(text.rfind("\n", 0, at) + 1, at - _WINDOW)
    if start == at:
        return at - 1
    return start + split_graphemes(text[start:at])[0][-1][0]


def after(text: str, at: int) -> int:
    """The offset one character to the right."""
    if at >= len(text) or text[at] == "\n":
        return min(at + 1, len(text))
    end = text.find("\n", at, at + _WINDOW)
    return at + split_graphemes(text[at : end if end >= 0 else at + _WINDOW])[0][0][1]


def words(text: str) -> list[tuple[int, int]]:
    """Start and end of each word; a run of Chinese characters counts as one."""
    return [match.span() for match in _WORD.finditer(text)]


def word_before(text: str, at: int) -> int:
    """The start of the word at the left; a run of Chinese characters counts as one word."""
    starts = [match.start() for match in _WORD.finditer(text, 0, at)]
    return starts[-1] if starts else 0


def word_after(text: str, at: int) -> int:
    """The end of the word at the right."""
    match = _WORD.search(text, at)
    return match.end() if match else len(text)


def lines_to_edit(text: str, width: int) -> list[Line]:
    """The lines of `wrap`, so that every offset of the text lies on one.

    A newline at the end opens a line, and a line reaches over the spaces that it was broken at.
    """
    lines = wrap(text, width)
    if text.endswith("\n"):
        lines.append((len(text), len(text)))
    reached: list[Line] = []
    floor = 0
    for number, (start, _) in enumerate(lines):
        end = lines[number + 1][0] if number + 1 < len(lines) else len(text)
        hard = text.find("\n", start, end)
        # an indent that did not fit beside the first word
        while start > floor and text[start - 1] in _SPACES:
            start -= 1
        reached.append((start, hard if hard >= 0 else end))
        floor = hard + 1 if hard >= 0 else end
    return reached


def line_of(lines: list[Line], at: int) -> int:
    """Index of the line on which an offset lies; between two lines, the later one."""
    line = 0
    for number, (start, _) in enumerate(lines):
        if start <= at:
            line = number
    return line


def column_of(text: str, line: Line, at: int) -> int:
    """Cells from the start of a line to an offset on it."""
    return cell_width(text[line[0] : at])


def offset_at(text: str, line: Line, column: int) -> int:
    """The offset on a line that stands at a column, or as near to it as there is one."""
    start, end = line
    taken = 0
    for first, _, cells in split_graphemes(text[start:end])[0]:
        if taken + (cells + 1) // 2 > column:
            return start + first
        taken += cell_width(text[start + first]) if cells == 0 else cells
    return end


class Place(NamedTuple):
    """Where the cursor is."""

    field: int
    offset: int


class Step(NamedTuple):
    """The state of a form after an edit."""

    fields: tuple[Any, ...]
    place: Place
    kind: str = ""
    """Edits of one kind, each from where the last one ended, are one step; empty is alone."""
    came_from: int = 0
    """Offset of the cursor before the edit."""


class History:
    """The past states of a form, its present one, and those that were undone."""

    def __init__(self, first: Step) -> None:
        self.now = first
        self._past: list[Step] = []
        self._future: list[Step] = []
        self._is_broken = True

    def push(self, step: Step) -> None:
        """Adds an edit and forgets what was undone."""
        if not self._goes_on(step):
            self._past.append(self.now)
            del self._past[:-STEPS_KEPT]
        self.now = step
        self._future.clear()
        self._is_broken = not step.kind

    def move(self, place: Place) -> None:
        """Records that the cursor moved; the next edit starts a new step."""
        if place != self.now.place:
            self._is_broken = True
            self.now = self.now._replace(place=place)

    def undo(self) -> bool:
        if not self._past:
            return False
        self._future.append(self.now)
        self.now = self._past.pop()
        self._is_broken = True
        return True

    def redo(self) -> bool:
        if not self._future:
            return False
        self._past.append(self.now)
        self.now = self._future.pop()
        self._is_broken = True
        return True

    def _goes_on(self, step: Step) -> bool:
        return (
            not self._is_broken
            and step.kind == self.now.kind != ""
            and step.place.field == self.now.place.field
            and step.came_from == self.now.place.offset
        )
