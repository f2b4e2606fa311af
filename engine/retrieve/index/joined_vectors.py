"""Multi-embedding vectors (EKRAG, Yu et al.): chunks by the cosines of several models together.

Each model keeps the index of its own vectors, so that weights change without embedding again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.retrieve.expression import JOINS
from engine.retrieve.index.base import require_positive, words_of
from engine.retrieve.index.ranking import top_rows
from engine.retrieve.index.vectors import DECIMALS, VectorRetriever, unit
from store.errors import UsageError
from store.records import Hit, SearchText

_BLOCK = 16_384
"""Rows whose vectors are in memory at once."""


class JoinedVectors:
    """Ranks chunks by the sum over the models of a factor and a cosine."""

    def __init__(
        self, name: str, sides: Sequence[VectorRetriever], weights: Sequence[float], join: str
    ) -> None:
        """Raises UsageError where vectors of a side are not of length 1."""
        for side in sides:
            if not side.has_unit_vectors:
                raise UsageError(
                    f"{name!r} joins cosines, and {side.name!r} has vectors of other lengths.",
                    "Leave `normalise` of the embedding as it is.",
                )
        self.name = name
        self._sides = sides
        self._factors = [JOINS[join](weight) for weight in weights]
        self._floor = min(side.floor for side in sides)

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        require_positive(k)
        ranked: list[list[Hit]] = [[] for _ in queries]
        asked = [number for number, query in enumerate(queries) if words_of(query).strip()]
        if not asked:
            return ranked
        scores = self._scores([queries[number] for number in asked])
        chunks = self._sides[0].chunks
        for number, own in zip(asked, scores, strict=True):
            best = top_rows(own, np.flatnonzero(own > self._floor), k)
            ranked[number] = chunks.hits(best, own[best])
        return ranked

    def _scores(self, queries: Sequence[SearchText]) -> NDArray[np.float64]:
        """A row for each query, a column for each chunk."""
        count = len(self._sides[0].chunks)
        total = np.zeros((len(queries), count))
        for side, factor in zip(self._sides, self._factors, strict=True):
            asked = unit(side.vectors_of(queries))
            for start in range(0, count, _BLOCK):
                block = side.vectors.reconstruct_n(start, min(_BLOCK, count - start))
                for row, vector in zip(total, asked, strict=True):
                    # alone: the last digits of a product depend on what else it is computed with
                    row[start : start + len(block)] += factor * (vector[None, :] @ block.T)[0]
        return total.round(DECIMALS)
