"""Easy, medium and hard: terciles of a figure over the turns that are looked at together."""

from __future__ import annotations

from collections.abc import Sequence

from store.records import Lang

LEVELS = ("easy", "medium", "hard")
LEVELS_IN: dict[Lang, dict[str, str]] = {
    "en": dict(zip(LEVELS, LEVELS, strict=True)),
    "zh": dict(zip(LEVELS, ("容易", "中等", "困难"), strict=True)),
}


def levels(figures: Sequence[float]) -> list[str]:
    """The level of each figure: easy up to the first tercile, hard above the second.

    The terciles are the values at places ceil(n / 3) and ceil(2 n / 3) in rising order. Equal
    figures have equal levels, so that where many are equal a level may be empty.
    """
    if not figures:
        return []
    ordered = sorted(figures)
    first, second = (ordered[-(-share * len(ordered) // 3) - 1] for share in (1, 2))
    return [
        LEVELS[0] if figure <= first else LEVELS[1] if figure <= second else LEVELS[2]
        for figure in figures
    ]
