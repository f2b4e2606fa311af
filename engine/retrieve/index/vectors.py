"""Vectors of chunks in a flat faiss index, searched by inner product with ties settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.retrieve.index.base import question_of, require_positive, words_of
from engine.retrieve.index.ranking import ChunkTable
from store.records import Hit, SearchText

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
"""Texts to vectors: one row of float32 for each text, in order."""

Nearest = Callable[[Vectors, int], tuple[Vectors, NDArray[np.int64]]]
"""Queries and a number to scores and rows, a row for each query, best first."""

VECTORS = "vectors.faiss"
# float32 products of equal vectors differ in the last places with their place in a batch
DECIMALS = 6
_NUMBERS_AT_ONCE = 16_000_000
"""Products of queries and chunks in memory at once, and numbers of the chunks found: 64 MB."""
_MOST_COPIED = 16_000_000
"""Numbers of the vectors that a process holds: 64 MB."""
_GROUP = 16
"""Scores of which only the highest is looked at to bound the best."""


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


def exact_search(index: Any) -> Nearest:
    """The exact search over a flat index: by products of matrices where it holds float32 and is
    small, else by faiss.

    In the file vectors stand at odd addresses, which makes every search of them several times as
    slow, so those of a small index are copied into the memory of each process that searches it.
    """
    import faiss

    library: Any = faiss  # its stubs lack the access to vectors
    search: Nearest = index.search
    if not isinstance(index, library.IndexFlat) or not 0 < index.ntotal * index.d <= _MOST_COPIED:
        return search
    matrix = index.reconstruct_n(0, index.ntotal)

    def nearest(queries: Vectors, k: int) -> tuple[Vectors, NDArray[np.int64]]:
        scores = np.empty((len(queries), k), np.float32)
        rows = np.empty((len(queries), k), np.int64)
        at_once = max(1, _NUMBERS_AT_ONCE // max(index.ntotal, k * index.d))
        for start in range(0, len(queries), at_once):
            part = queries[start : start + at_once]
            # for a single query the product of a matrix and a vector takes half the time
            products = (matrix @ part[0])[None] if len(part) == 1 else part @ matrix.T
            best = _best(products, k)
            # a product's last digits depend on what else it is computed with
            exact = np.einsum("qkd,qd->qk", matrix[best], part, dtype=np.float64)
            order = np.argsort(-exact, axis=1, kind="stable")
            rows[start : start + at_once] = np.take_along_axis(best, order, 1)
            scores[start : start + at_once] = np.take_along_axis(exact, order, 1)
        return scores, rows

    return nearest


def _best(scores: Vectors, k: int) -> NDArray[np.int64]:
    """The columns of the `k` highest scores of each row, best first, equal ones in their order.

    The k-th best of the maxima of groups bounds the k-th best of all from below, so that few are
    compared.
    """
    count, width = scores.shape
    groups = width // _GROUP if width >= _GROUP * k else width
    size = width // groups
    maxima = scores[:, : groups * size].reshape(count, size, groups).max(axis=1)
    bounds = np.partition(maxima, groups - k, axis=1)[:, groups - k]
    candidates = np.flatnonzero(scores >= bounds[:, None])
    row, column = np.divmod(candidates, width)
    column = column[np.lexsort((-scores.ravel()[candidates], row))]
    firsts = np.searchsorted(row, np.arange(count))
    best: NDArray[np.int64] = column[firsts[:, None] + np.arange(k)]
    return best


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
        # a few more than asked for, to see whether the last hit is tied with others
        found = self._rank(embedded, k, min(2 * k + 8, len(self.chunks)))
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
        # an approximate search may find fewer, and says so by row -1
        rounded = np.where(rows < 0, -np.inf, scores).round(DECIMALS)
        order = np.lexsort((rows, -rounded))[:, :k]
        best = np.take_along_axis(rows, order, 1)
        values = np.take_along_axis(rounded, order, 1).astype(np.float64).round(DECIMALS)
        kept = values > self.floor
        hits = iter(self.chunks.hits(best[kept], values[kept]))
        ranked = [list(islice(hits, count)) for count in kept.sum(axis=1).tolist()]
        if depth < len(self.chunks):
            last = rounded[:, -1]
            for number in np.flatnonzero((rounded[:, k - 1] == last) & (last > self.floor)):
                deeper = min(4 * depth, len(self.chunks))
                (ranked[number],) = self._rank(vectors[number : number + 1], k, deeper)
        return ranked
