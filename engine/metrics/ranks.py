"""Ranking formulas over the gains at each rank, for documents and evidence units alike.

`gained[i]` is the number of relevant things first found at rank i + 1; `total` is the number of
all relevant things, 1 or more, and at least the sum of `gained`. `k` cuts the list; null takes it
whole. Everything lies in [0, 1], higher is better. All but ndcg take the same arguments, so that
`WHOLE_LIST` and `AT_K` can hold them by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence


def average_precision(gained: Sequence[int], total: int, k: int | None = None) -> float:
    """Sum over ranks r <= k of found_r * (ranks up to r with a gain) / r, over `total`."""
    hits, precisions = 0, 0.0
    for rank, count in enumerate(gained[:k], start=1):
        if count:
            hits += 1
            precisions += count * hits / rank
    return precisions / total


def reciprocal_rank(gained: Sequence[int], total: int, k: int | None = None) -> float:
    """1 / the first rank <= k with a gain; 0 if there is none."""
    return next((1 / rank for rank, count in enumerate(gained[:k], start=1) if count), 0.0)


def recall(gained: Sequence[int], total: int, k: int) -> float:
    """Units found in the first k ranks / all units."""
    return sum(gained[:k]) / total


def precision(gained: Sequence[int], total: int, k: int) -> float:
    """Ranks with a gain among the first k / k, also when fewer than k exist."""
    return sum(map(bool, gained[:k])) / k


def hit(gained: Sequence[int], total: int, k: int) -> float:
    """1 if one of the first k ranks has a gain, else 0."""
    return float(any(gained[:k]))


def ndcg(gains: Sequence[float], ideal: Iterable[float], k: int) -> float:
    """DCG of the gains / DCG of the ideal gains, both over k ranks; 0 if the ideal has no gain.

    DCG = sum over ranks r <= k of gain_r / log2(r + 1). `ideal` may come in any order.
    """
    best = _dcg(sorted(ideal, reverse=True), k)
    return _dcg(gains, k) / best if best > 0 else 0.0


def _dcg(gains: Sequence[float], k: int) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], start=1) if gain)


WHOLE_LIST: dict[str, Callable[[Sequence[int], int, int | None], float]] = {
    "map": average_precision,
    "mrr": reciprocal_rank,
}
AT_K: dict[str, Callable[[Sequence[int], int, int], float]] = {
    "recall": recall,
    "precision": precision,
    "hit": hit,
}
