"""The search for stretches of a text that repeat another, such as an answer in a passage."""

from __future__ import annotations

from collections import defaultdict

from engine.text.wrapping import cell_width
from tui.widgets.marks import folded_with_origin, occurrences

SEED = 6
"""Characters that both texts share before a longer match is looked for."""
SEEDS_TRIED = 32
LEAST_CELLS = 12
"""A shorter match, six Chinese characters or two English words, says little."""


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
