"""Several ranked lists made one: by ranks, by normalised scores, or for a reranker to order."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import islice

from msgspec import Struct

from engine.retrieve.index.base import Retriever, question_of, require_positive
from store.records import Hit, SearchText

RANK_OFFSET = 60
DEPTH = 100
SEED = 22
"""Of the sampling; the one that CRUD-RAG's code shuffles by."""

Lists = Sequence[Sequence[Hit]]
"""Ranked lists over the same chunking, each best first."""
_Place = tuple[str, int, int]

Shares = Callable[[Sequence[Hit]], Sequence[float]]
"""What each hit of a list adds to the fused score of its chunk, before the list's weight."""


def fuse(lists: Lists, weights: Sequence[float], k: int) -> list[Hit]:
    """The `k` best chunks of several ranked lists, best first, by reciprocal rank.

    score(c) = sum over the lists that hold c of weight / (60 + rank), ranks from 1 (Cormack,
    Clarke and Buettcher 2009); in (0, sum of weights / 61], higher is better. Chunks are the
    same when document, start and end are. Equal scores are ordered by document id, start, end.
    """
    return _summed(lists, weights, _reciprocal_ranks)[:k]


def search_all(retriever: Retriever, queries: Sequence[SearchText], k: int) -> list[Hit]:
    """The `k` best chunks for several ways to say one question, their lists fused as equals."""
    return search_each(retriever, [queries], k)[0]


def search_each(
    retriever: Retriever, questions: Sequence[Sequence[SearchText]], k: int
) -> list[list[Hit]]:
    """The `k` best chunks for each of several questions, which are searched for together."""
    found: list[list[Hit]] = [[] for _ in questions]
    depths = [k if len(queries) == 1 else max(DEPTH, k) for queries in questions]
    for depth in set(depths):
        asked = [number for number, own in enumerate(depths) if own == depth]
        lists = iter(
            retriever.search([query for number in asked for query in questions[number]], depth)
        )
        for number in asked:
            own = list(islice(lists, len(questions[number])))
            found[number] = own[0] if len(own) == 1 else fuse(own, [1.0] * len(own), k)
    return found


def _summed(lists: Lists, weights: Sequence[float], shares: Shares) -> list[Hit]:
    """All chunks by the sum of their shares; one that a list does not hold gets nothing of it."""
    parts: dict[_Place, list[float]] = {}
    for hits, weight in zip(lists, weights, strict=True):
        for hit, share in zip(hits, shares(hits), strict=True):
            place = (hit.document_id, hit.start, hit.end)
            parts.setdefault(place, []).append(weight * share)
    # an exact sum does not depend on the order of the lists, so that ties are ties
    fused = [Hit(*place, math.fsum(own)) for place, own in parts.items()]
    fused.sort(key=lambda hit: (-hit.score, hit.document_id, hit.start, hit.end))
    return fused


def _reciprocal_ranks(hits: Sequence[Hit]) -> Sequence[float]:
    return [1 / (RANK_OFFSET + rank) for rank in range(1, len(hits) + 1)]


def _min_max(hits: Sequence[Hit]) -> Sequence[float]:
    """(s - least) / (greatest - least), in [0, 1]; the scores of a list of equals become 0."""
    scores = [hit.score for hit in hits]
    least, greatest = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - least) / max(greatest - least, 1e-9) for score in scores]


def _maximum(hits: Sequence[Hit]) -> Sequence[float]:
    """s / greatest, in [0, 1] where no score is below 0."""
    greatest = max((hit.score for hit in hits), default=0.0)
    return [hit.score / max(greatest, 1e-9) for hit in hits]


def _z_score(hits: Sequence[Hit]) -> Sequence[float]:
    """(s - mean) / standard deviation of the list's scores."""
    scores = [hit.score for hit in hits]
    mean = math.fsum(scores) / max(len(scores), 1)
    variance = math.fsum((score - mean) ** 2 for score in scores) / max(len(scores), 1)
    return [(score - mean) / max(math.sqrt(variance), 1e-9) for score in scores]


class Fusion(Struct, frozen=True):
    """A way to make one list of several."""

    join: Callable[[Lists, Sequence[float], int, SearchText], list[Hit]]
    """Given the lists, their weights, the number of chunks wanted, and the query."""
    depth: Callable[[int, int], int] = lambda k, sides: max(DEPTH, k)
    """How many chunks each side gives, where so many are wanted of so many sides. By default it
    does not follow what is wanted, so that a shorter list is the beginning of a longer one."""
    is_nested: bool = True
    """Whether it is so for lists of up to DEPTH chunks."""


def _by(shares: Shares) -> Fusion:
    return Fusion(lambda lists, weights, k, query: _summed(lists, weights, shares)[:k])


def _union(lists: Lists, weights: Sequence[float], k: int, query: SearchText) -> list[Hit]:
    """Every chunk of the lists once, by its best rank: candidates that a reranker puts in order."""
    best: dict[_Place, int] = {}
    for hits in lists:
        for rank, hit in enumerate(hits, 1):
            place = (hit.document_id, hit.start, hit.end)
            best[place] = min(rank, best.get(place, rank))
    union = [Hit(*place, 1 / rank) for place, rank in best.items()]
    union.sort(key=lambda hit: (-hit.score, hit.document_id, hit.start, hit.end))
    return union[:k]


def _sample(lists: Lists, weights: Sequence[float], k: int, query: SearchText) -> list[Hit]:
    """`k` chunks of the lists drawn at random, the same ones for a question whenever it is asked;
    ordered and scored by reciprocal rank (what CRUD-RAG's paper says that its hybrid does)."""
    fused = _summed(lists, weights, _reciprocal_ranks)
    draw = random.Random(f"{SEED}\n{question_of(query)}")
    kept = set(draw.sample(range(len(fused)), min(k, len(fused))))
    return [hit for at, hit in enumerate(fused) if at in kept]


FUSIONS: dict[str, Fusion] = {
    "hybrid": _by(_reciprocal_ranks),
    "minmax": _by(_min_max),
    "maximum": _by(_maximum),
    "zscore": _by(_z_score),
    "union": Fusion(_union, lambda k, sides: math.ceil(k / sides), is_nested=False),
    "sample": Fusion(_sample, lambda k, sides: k, is_nested=False),
}
"""By the name that stands before the sides of a retriever."""


class FusionRetriever:
    """Asks every side for its best chunks and makes one list of them."""

    def __init__(
        self, name: str, sides: Sequence[Retriever], weights: Sequence[float], fusion: str
    ) -> None:
        self.name = name
        self._sides = sides
        self._weights = weights
        self._fusion = FUSIONS[fusion]

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        require_positive(k)
        depth = self._fusion.depth(k, len(self._sides))
        rankings = [side.search(queries, depth) for side in self._sides]
        return [
            self._fusion.join(lists, self._weights, k, query)
            for query, *lists in zip(queries, *rankings, strict=True)
        ]
