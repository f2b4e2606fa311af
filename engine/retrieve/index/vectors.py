"""Vectors of chunks in a flat faiss index, searched by inner product with ties settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engine.retrieve.index.base import question_of, require_positive, words_of
from engine.retrieve.index.exact_search import Nearest, exact_search
from engine.retrieve.index.ranking import ChunkTable, Vectors
from store.records import Hit, SearchText

Embed = Callable[[Sequence[str]], Vectors]
"""Texts to vectors: one row of float32 for each text, in order."""

VECTORS = "vectors.faiss"
# float32 products of equal vectors differ in the last places with their place in a batch
DECIMALS = 6
_MORE = 4
"""Chunks that are looked at behind those asked for."""


def write_vectors(
    folder: Path, vectors: Vectors, storage: Literal["float32", "float16"] = "float32"
) -> None:
    """Keep `vectors` (a row each, float32) in `folder`; float16 halves the file."""
    import faiss

    dimensions = vectors.shape[1]
    index: Any = faiss.IndexFlatIP(dimensions)
    if storage == "float16":
        half = faiss.ScalarQuantizer.QT_fp16
        index = faiss.IndexScalarQuantizer(dimensions, half, faiss.METRIC_INNER_PRODUCT)
    index.add(np.ascontiguousarray(vectors, dtype=np.float32))
    # the bytes of faiss.write_index, which would report a full disk as RuntimeError
    (folder / VECTORS).write_bytes(faiss.serialize_index(index).tobytes())


def read_vectors(folder: Path) -> Any:
    """The faiss index of `folder`, mapped into memory: processes that read it share one copy."""
    import faiss

    return faiss.read_index(str(folder / VECTORS), faiss.IO_FLAG_MMAP_IFC)


def unit(vectors: Vectors) -> Vectors:
    """The same directions with length 1; a vector of rounding errors becomes the zero vector."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(norms > 1e-6, vectors / np.maximum(norms, 1e-6), 0).astype(np.float32)


class VectorRetriever:
    """Ranks chunks by the inner product of their vectors with the embedded query.

    Scores are rounded to six decimals. Only chunks that score above `floor` are hits. A query
    without any character but white space has no hits.
    """

    def __init__(
        self,
        name: str,
        embed: Embed,
        vectors: Any,
        chunks: ChunkTable,
        floor: float = -np.inf,
        *,
        embed_document: Embed | None = None,
        has_unit_vectors: bool = True,
    ) -> None:
        self.name = name
        self.embed = embed
        """What gives the vectors of queries."""
        self._embed_document = embed_document or embed
        self.vectors = vectors
        self.chunks = chunks
        self.floor = floor
        self.has_unit_vectors = has_unit_vectors
        self._nearest = exact_search(vectors)

    def searching(self, nearest: Nearest) -> VectorRetriever:
        """The same over another way to find the vectors nearest to a query."""
        other = copy(self)
        other._nearest = nearest
        return other

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        require_positive(k)
        ranked: list[list[Hit]] = [[] for _ in queries]
        asked = [number for number, query in enumerate(queries) if words_of(query).strip()]
        if not asked:
            return ranked
        embedded = self.vectors_of([queries[number] for number in asked])
        # more than asked for, to see whether the last hit is tied with others
        found = self._rank(embedded, k, min(k + _MORE, len(self.chunks)))
        for number, hits in zip(asked, found, strict=True):
            ranked[number] = hits
        return ranked

    def vectors_of(self, queries: Sequence[SearchText]) -> Vectors:
        """The vectors of queries.

        With a hypothetical text that is alpha * q + (1 - alpha) * d, with nearest chunks the mean
        of that and their vectors, all of length 1 (EKRAG, Yu et al.). The result has the length of
        the longest of the texts' vectors, so that cosines stay cosines.
        """
        own = self.embed([question_of(query) for query in queries])
        mixed = [(row, query) for row, query in enumerate(queries) if not isinstance(query, str)]
        if mixed:
            own = own.copy()
        made_up = [(row, query) for row, query in mixed if query.hypothetical]
        if made_up:
            texts = self._embed_document([query.hypothetical for _, query in made_up])
            for (row, query), text in zip(made_up, texts, strict=True):
                length = max(np.linalg.norm(own[row]), np.linalg.norm(text))
                mix = query.alpha * own[row] + (1 - query.alpha) * text
                own[row] = unit(mix[None, :])[0] * length
        for row, query in mixed:
            if query.nearest:
                chunks = [self.vectors.reconstruct(self.chunks.row(hit)) for hit in query.nearest]
                mean = unit(np.vstack([own[row], *chunks])).mean(axis=0, keepdims=True)
                own[row] = unit(mean)[0] * np.linalg.norm(own[row])
        return own

    def _rank(self, vectors: Vectors, k: int, depth: int) -> list[list[Hit]]:
        """The `k` best of the `depth` nearest chunks; of more where the last has ties."""
        scores, rows = self._nearest(vectors, depth)
        rounded = scores.round(DECIMALS)
        each = np.arange(len(rows))[:, None]
        order = np.lexsort((rows, -rounded))
        ordered = rounded[each, order]
        best = rows[each, order[:, :k]]
        values = ordered[:, :k].astype(np.float64).round(DECIMALS)
        hits = self.chunks.hits(best.ravel(), values.ravel())
        ranked = [
            [hit for hit in hits[start : start + best.shape[1]] if hit.score > self.floor]
            for start in range(0, len(hits), best.shape[1])
        ]
        if depth < len(self.chunks):
            last = ordered[:, -1]
            tied = np.flatnonzero((ordered[:, k - 1] == last) & (last > self.floor))
            if len(tied):
                deeper = min(4 * depth, len(self.chunks))
                again = self._rank(vectors[tied], k, deeper)
                for number, of_query in zip(tied.tolist(), again, strict=True):
                    ranked[number] = of_query
        return ranked
