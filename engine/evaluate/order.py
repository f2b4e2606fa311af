"""The order in which a run works its items: seeded, and even over the cells at every moment."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")


def stratified_order(items: Iterable[tuple[T, Hashable]], seed: int) -> list[T]:
    """The items (each with its cell) shuffled within cells and dealt out evenly over them.

    After any number of items every cell is done in the same proportion, to within one item, so a
    run that is stopped is an unbiased sample of the whole. Item j of the n of a cell (0-based)
    stands at the fraction (j + u) / n, where u is drawn once a cell from [0, 1).
    """
    cells: defaultdict[Hashable, list[T]] = defaultdict(list)
    for item, cell in items:
        cells[cell].append(item)
    draw = random.Random(seed)
    placed: list[tuple[float, int, T]] = []
    for cell in sorted(cells, key=repr):
        members = list(cells[cell])
        draw.shuffle(members)
        offset = draw.random()
        for rank, member in enumerate(members):
            placed.append(((rank + offset) / len(members), len(placed), member))
    placed.sort(key=lambda place: place[:2])
    return [member for _, _, member in placed]
