"""Where a text repeats another: an answer in a passage, word for word or nearly so."""

from __future__ import annotations

from collections import defaultdict

from tui.widgets.marks import folded_with_origin, occurrences
from tui.wrap import cell_width

SEED = 6
"""Characters that both texts share before a longer match is looked for."""
SEEDS_KEPT = 32
LEAST_CELLS = 12
"""A shorter match, six Chinese characters or two English words, says little."""


def overlaps(text: str, wanted: str) -> list[tuple[int, int]]:
    """Stretches of `text` that are in `wanted` too, longest first choice from left to right.

    Case and width of letters do not matter. A match neither begins nor ends inside a Latin word or
    a number; one that covers less than `LEAST_CELLS` is left out.
    """
    haystack, origin = folded_with_origin(text)
    needle, _ = folded_with_origin(wanted)
    seeds: defaultdict[str, list[int]] = defaultdict(list)
    for at in range(len(haystack) - SEED + 1):
        places = seeds[haystack[at : at + SEED]]
        if len(places) < SEEDS_KEPT:
            places.append(at)
    found: list[tuple[int, int]] = []
    at = 0
    while at <= len(needle) - SEED:
        best = max(
            (
                (_common(haystack, place, needle, at), place)
                for place in seeds.get(needle[at : at + SEED], ())
            ),
            default=(0, 0),
        )
        length = _whole(needle, at, at + best[0]) - at
        span = _trimmed(haystack, best[1], best[1] + length)
        if cell_width(haystack[span[0] : span[1]]) >= LEAST_CELLS:
            found.append((_origin(origin, span[0]), _origin(origin, span[1] - 1) + 1))
            at += length
        else:
            at += 1
    return sorted(set(found))


def whole_occurrences(text: str, wanted: str) -> list[tuple[int, int]]:
    """As `occurrences`, without those that begin or end inside a Latin word or a number."""
    return [
        (start, end)
        for start, end in occurrences(text, wanted.strip())
        if not _joins(text, start) and not _joins(text, end)
    ]


def _common(text: str, at: int, other: str, from_: int) -> int:
    length = 0
    most = min(len(text) - at, len(other) - from_)
    while length < most and text[at + length] == other[from_ + length]:
        length += 1
    return length


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


def _whole(text: str, start: int, end: int) -> int:
    """`end`, or the last place before it that is not inside a word or a number."""
    while end > start and _joins(text, end):
        end -= 1
    return end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and (_joins(text, start) or text[start].isspace()):
        start += 1
    while end > start and (_joins(text, end) or text[end - 1].isspace()):
        end -= 1
    return start, end


def _origin(origin: list[int] | None, at: int) -> int:
    return origin[at] if origin is not None else at
