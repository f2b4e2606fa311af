"""Marked stretches of a text: their roles, and the search for occurrences."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

MarkKind = Literal["chunk", "evidence", "answer", "match", "differs", "find"]

SIGNS_OF_KINDS: dict[str, str] = {
    "chunk": "[",
    "evidence": "#",
    "answer": "=",
    "match": "+",
    "differs": "!",
    "find": "/",
}
"""The sign in the margin of a line that holds such a mark; the strongest one when several do."""

_STRENGTH = ("find", "differs", "evidence", "answer", "match", "chunk")
_LAYERS = ("chunk", "evidence", "answer", "match", "differs", "find")
"""From the lowest to the highest, where marks lie over each other."""


class Mark(NamedTuple):
    """A marked stretch of a text, offsets in characters, end exclusive."""

    start: int
    end: int
    kind: MarkKind
    label: str = ""
    """Shown in the title while the mark is the current one."""


class Stretch(NamedTuple):
    start: int
    end: int
    roles: str


def strongest(kinds: Iterable[str]) -> str:
    """Returns the kind to show where several overlap; empty for none."""
    present = set(kinds)
    return next((kind for kind in _STRENGTH if kind in present), "")


def layered(kinds: Iterable[str]) -> str:
    """The roles of a stretch, so that a golden answer stands out within its evidence."""
    present = set(kinds)
    return " ".join(kind for kind in _LAYERS if kind in present)


def _roles(over: Sequence[Mark], current: Mark | None) -> str:
    """What was found and is gone to stands out from the rest; another mark keeps its colours."""
    if current is None or current not in over:
        return layered(mark.kind for mark in over)
    return "current" if current.kind == "find" else f"{layered(m.kind for m in over)} chosen"


def stretches(start: int, end: int, marks: Sequence[Mark], current: Mark | None) -> list[Stretch]:
    """Cut a line into stretches of the same roles, those of the current mark besides."""
    touching = [mark for mark in marks if mark.start < end and mark.end > start]
    if not touching:
        return [Stretch(start, end, "")]
    cuts = {start, end}
    for mark in touching:
        cuts.update((max(mark.start, start), min(mark.end, end)))
    ordered = sorted(cuts)
    result = []
    for left, right in pairwise(ordered):
        over = [mark for mark in touching if mark.start <= left and mark.end >= right]
        result.append(Stretch(left, right, _roles(over, current)))
    return result


@lru_cache(maxsize=8192)
def _folded_character(character: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", character).casefold())


@lru_cache(maxsize=4)
def folded_with_origin(text: str) -> tuple[str, list[int] | None]:
    """The folded text, and the origin of each of its characters unless that is its own index."""
    parts = [_folded_character(character) for character in text]
    folded = "".join(parts)
    if len(folded) == len(text) and all(parts):
        return folded, None
    return folded, [index for index, part in enumerate(parts) for _ in part]


def occurrences(text: str, wanted: str) -> list[tuple[int, int]]:
    """Where `wanted` is in `text`, whatever the case and the width of the letters.

    Both are folded character by character (NFKC and case), so full-width and half-width forms
    find each other; offsets are those of `text`. Occurrences do not overlap.
    """
    needle = "".join(map(_folded_character, wanted))
    if not needle:
        return []
    folded, origin = folded_with_origin(text)
    spans: list[tuple[int, int]] = []
    at = folded.find(needle)
    while at >= 0:
        last = at + len(needle) - 1
        spans.append((origin[at], origin[last] + 1) if origin else (at, last + 1))
        at = folded.find(needle, at + len(needle))
    return spans


class MarkIndex:
    """Marks in reading order, found by the stretch of text that they touch."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        self.marks = sorted(marks)
        self._starts = [mark.start for mark in self.marks]
        self._longest = max((mark.end - mark.start for mark in self.marks), default=0)

    def touching(self, start: int, end: int) -> list[Mark]:
        first = bisect_left(self._starts, start - self._longest)
        last = bisect_left(self._starts, end)
        return [mark for mark in self.marks[first:last] if mark.end > start]
