"""What a model is shown of a text that is too long."""

from __future__ import annotations

from bisect import bisect_left

from engine.text.tokens import token_starts

_LEFT_OUT = "\n[…]\n"


def beginning(text: str, most: int) -> str:
    """The first `most` tokens of a text, as `engine.text.tokens` counts them."""
    starts = token_starts(text)
    return text if len(starts) <= most else text[: starts[most]].rstrip()


def surroundings(text: str, at: int, most: int) -> str:
    """Up to `most` tokens of a text: half of them its beginning, and of the other half as many
    before the offset `at` as behind it."""
    starts = token_starts(text)
    if len(starts) <= most:
        return text
    half = most // 2
    first = min(bisect_left(starts, at) - half // 2, len(starts) - half)
    if first <= half:
        return beginning(text, most)
    end = starts[first + half] if first + half < len(starts) else len(text)
    return text[: starts[half]].rstrip() + _LEFT_OUT + text[starts[first] : end].strip()
