"""Reciprocal rank fusion of several retrievers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.retrieve.index.base import Retriever, require_positive
from store.records import Hit, SearchText

RANK_OFFSET = 60
DEPTH = 100


def fuse(lists: Sequence[Sequence[Hit]], weights: Sequence[float], k: int) -> list[Hit]:
    """The `k` best chunks of several ranked lists over the same chunking, best first.

    score(c) = sum over the lists that hold c of weight / (60 + rank), ranks from 1 (Cormack,
    Clarke and Buettcher 2009); in (0, sum of weights / 61], higher is better. Chunks are the
    same when document, start and end are. Equal scores are ordered by document id, start, end.
    """
    shares: dict[tuple[str, int, int], list[float]] = {}
    for hits, weight in zip(lists, weights, strict=True):
        for rank, hit in enumerate(hits, 1):
            place = (hit.document_id, hit.start, hit.end)
            shares.setdefault(place, []).append(weight / (RANK_OFFSET + rank))
    # an exact sum does not depend on the order of the lists, so that ties are ties
    fused = [Hit(*place, math.fsum(parts)) for place, parts in shares.items()]
    fused.sort(key=lambda hit: (-hit.score, hit.document_id, hit.start, hit.end))
    return fused[:k]


def search_all(retriever: Retriever, queries: Sequence[SearchText], k: int) -> list[Hit]:
    """The `k` best chunks for several ways to say one question, their lists fused as equals."""
    if len(queries) == 1:
        return retriever.search(queries, k)[0]
    lists = retriever.search(queries, max(DEPTH, k))
    return fuse(lists, [1.0] * len(lists), k)


class FusionRetriever:
    """Asks every side for its best `depth` chunks (or `k`, when that is more) and fuses them.

    The depth does not follow `k`, so that a shorter list is the beginning of a longer one.
    """

    def __init__(
        self,
        name: str,
        sides: Sequence[Retriever],
        weights: Sequence[float],
        depth: int = DEPTH,
    ) -> None:
        self.name = name
        self._sides = sides
        self._weights = weights
        self._depth = depth

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        require_positive(k)
        rankings = [side.search(queries, max(self._depth, k)) for side in self._sides]
        return [fuse(lists, self._weights, k) for lists in zip(*rankings, strict=True)]
