"""Marked stretches of a text: their roles, and the search for occurrences and overlaps."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from engine.text.wrapping import cell_width
from tui.widgets.text_edit import after

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

SEED = 6
"""Characters that both texts share before a longer match is looked for."""
SEEDS_TRIED = 32
LEAST_CELLS = 12
"""A shorter match, six Chinese characters or two English words, says little."""


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


def marked(
    text: str,
    start: int,
    end: int,
    marks: Sequence[Mark],
    current: Mark | None = None,
    *,
    role: str = "",
    cursor: int = -1,
) -> list[tuple[str, str]]:
    """A stretch of a text as pieces in the roles of its marks, over `role`; with the cursor on the
    character at its offset."""
    pieces: list[tuple[str, str]] = []
    for part in stretches(start, end, marks, current):
        roles = f"{role} {part.roles}".strip()
        if part.start <= cursor < part.end:
            to = min(after(text, cursor), part.end)
            pieces += [
                (text[part.start : cursor], roles),
                (text[cursor:to], "cell-cursor"),
                (text[to : part.end], roles),
            ]
        else:
            pieces.append((text[part.start : part.end], roles))
    return pieces


@lru_cache(maxsize=8192)
def _folded_character(character: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", character).casefold())


@lru_cache(maxsize=16)
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


def overlaps(text: str, wanted: str) -> list[tuple[int, int]]:
    """Stretches of `text` that are in `wanted` too, each the longest from its place on.

    Case and width of letters do not matter. A match neither begins nor ends inside a Latin word or
    a number; one that covers less than `LEAST_CELLS` is left out.
    """
    haystack, origin = folded_with_origin(text)
    needle, _ = folded_with_origin(wanted)
    seeds: defaultdict[str, list[int]] = defaultdict(list)
    for place in range(len(needle) - SEED + 1):
        seeds[needle[place : place + SEED]].append(place)
    spans: list[tuple[int, int]] = []
    at = 0
    while at <= len(haystack) - SEED:
        places = seeds.get(haystack[at : at + SEED], ())[:SEEDS_TRIED]
        start, end = max(
            (_shared(haystack, at, needle, place) for place in places),
            key=lambda span: span[1] - span[0],
            default=(at, at),
        )
        if cell_width(haystack[start:end]) >= LEAST_CELLS:
            spans.append((_origin(origin, start), _origin(origin, end - 1) + 1))
            at = end
        else:
            at += 1
    return spans


def whole_occurrences(text: str, wanted: str) -> list[tuple[int, int]]:
    """As `occurrences`, without those that begin or end inside a Latin word or a number."""
    return [
        (start, end)
        for start, end in occurrences(text, wanted.strip())
        if not _joins(text, start) and not _joins(text, end)
    ]


def _shared(text: str, at: int, other: str, place: int) -> tuple[int, int]:
    """The stretch of `text` from `at` on that `other` has from `place` on, cut to whole words."""
    length, most = 0, min(len(text) - at, len(other) - place)
    while length < most and text[at + length] == other[place + length]:
        length += 1
    while length and (_joins(text, at + length) or _joins(other, place + length)):
        length -= 1
    start, end = at, at + length
    while start < end and (_joins(text, start) or text[start].isspace()):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _joins(text: str, at: int) -> bool:
    """Whether the characters on both sides of an offset belong to one word or one number."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left.isascii() and right.isascii() and left.isalnum() and right.isalnum():
        return True
    is_decimal = left in ".,%" and right.isdigit() and at > 1 and text[at - 2].isdigit()
    return is_decimal or (
        left.isdigit() and right in ".," and at + 1 < len(text) and text[at + 1].isdigit()
    )


def _origin(origin: list[int] | None, at: int) -> int:
    return origin[at] if origin is not None else at
