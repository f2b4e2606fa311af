"""The exact search over the vectors of a flat index, by products of matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from engine.retrieve.index.ranking import Rows, Vectors

Nearest = Callable[[Vectors, int], tuple[Vectors, Rows]]
"""Queries and a number to scores and rows, a row of so many for each query, in any order. Where
fewer are found the score is -inf."""

_MOST_COPIED = 16_000_000
"""Numbers of the vectors that a process holds: 64 MB."""
_PRODUCTS = 4_000_000
"""Products of queries and vectors that are looked at together: 16 MB."""
_BLOCK = 16_384
"""Vectors that are copied at once."""
_AT_ONCE = 1024
"""Queries that are multiplied with a block at once."""
_FEW = 3
"""Fewer queries are faster answered by faiss where the vectors stand than after copying them."""
_GROUP = 16
"""Scores of which only the highest is looked at first."""
_GROUPS = 8
"""Larger groups that bound the k-th highest score, for each of k: more bound it closer."""


def exact_search(index: Any) -> Nearest:
    """The exact search over a flat index: by products of matrices where it holds float32, else by
    faiss. A query finds the same whatever else is asked with it.

    In the file vectors stand at odd addresses, which makes products of matrices with them several
    times as slow: where there are queries enough, those of a small index are copied once into the
    memory of each process that searches it, those of a large one block by block.
    """
    import faiss

    library: Any = faiss  # its stubs lack the access to vectors
    if not isinstance(index, library.IndexFlat) or not index.ntotal:
        search: Nearest = index.search
        return search
    fits = index.ntotal * index.d <= _MOST_COPIED
    numbers = library.rev_swig_ptr(index.get_xb(), index.ntotal * index.d)
    stored: Vectors = numbers.reshape(index.ntotal, index.d)

    @cache
    def matrix() -> Vectors:
        return stored.copy()

    def nearest(queries: Vectors, k: int) -> tuple[Vectors, Rows]:
        if len(queries) > _AT_ONCE:
            parts = [nearest(part, k) for part in _cut(queries, _AT_ONCE)]
            scores, rows = zip(*parts, strict=True)
            return np.concatenate(scores), np.concatenate(rows)
        if len(queries) < _FEW:
            found = _searched(library, index, queries, k) if fits else index.search(queries, k)[1]
        elif fits:
            found = _best(_cut(matrix(), max(k, _PRODUCTS // len(queries))), queries, k)
        else:
            found = _best(_copied(stored, max(k, _BLOCK)), queries, k)
        # a product's last digits depend on what else it is computed with
        exact = np.einsum("qkd,qd->qk", stored[found], queries, dtype=np.float64)
        return exact.astype(np.float32), found

    return nearest


def _searched(faiss: Any, index: Any, queries: Vectors, k: int) -> Rows:
    """The rows that faiss finds with the calling thread alone: others wait for each other, ten
    times as long as the products of a small index take, where other processes keep the processors
    busy."""
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        rows: Rows = index.search(queries, k)[1]
    finally:
        faiss.omp_set_num_threads(threads)
    return rows


def _cut(vectors: Vectors, size: int) -> Iterator[Vectors]:
    for start in range(0, len(vectors), size):
        yield vectors[start : start + size]


def _copied(stored: Vectors, size: int) -> Iterator[Vectors]:
    """The vectors, so many at a time; each block is overwritten by the next."""
    held = np.empty((size, stored.shape[1]), np.float32)
    for block in _cut(stored, size):
        held[: len(block)] = block
        yield held[: len(block)]


def _best(blocks: Iterator[Vectors], queries: Vectors, k: int) -> Rows:
    """The rows of the `k` best vectors of each query, in no order; the first block holds so many.

    The scores of the best so far bound the others from below, so that few of a block are looked at.
    """
    count = len(queries)
    products = np.empty((0, count), np.float32)
    bounds: Vectors | None = None
    row, query = np.empty((2, 0), np.int64)
    score = np.empty(0, np.float32)
    start = 0
    for block in blocks:
        if len(block) > len(products):
            products = np.empty((len(block), count), np.float32)
        scores = np.matmul(block, queries.T, out=products[: len(block)])
        places, bounds = _above(scores, bounds, k)
        of_block, of_query = np.divmod(places, count)
        row = np.concatenate([row, of_block + start])
        query = np.concatenate([query, of_query])
        score = np.concatenate([score, scores.take(places)])
        order = np.lexsort((-score, query))
        firsts = np.searchsorted(query[order], np.arange(count))
        kept = order[(firsts[:, None] + np.arange(k)).ravel()]
        row, query, score = row[kept], query[kept], score[kept]
        bounds = score.reshape(count, k)[:, -1]
        start += len(block)
    return row.reshape(count, k)


def _above(scores: Vectors, bounds: Vectors | None, k: int) -> tuple[Rows, Vectors]:
    """The places in flattened scores (a column for each query) that are not below the query's
    bound, and the bounds; where there are none yet, those that at least `k` scores of each query
    reach.

    Groups are looked into where their highest score is not below the bound. Of larger groups the
    k-th highest of these bounds the k-th highest of all.
    """
    count = scores.shape[1]
    size = _GROUP if len(scores) >= _GROUP * k else 1
    maxima = _maxima(scores, size)
    if bounds is None:
        few = _maxima(maxima, max(1, len(maxima) // (_GROUPS * k)))
        bounds = np.partition(few, len(few) - k, axis=0)[len(few) - k]
    group = np.flatnonzero(maxima >= bounds)
    places = np.add.outer(np.arange(size) * maxima.size, group)
    reached = scores.take(places) >= bounds[group % count]
    rest = np.flatnonzero(scores[size * len(maxima) :] >= bounds)
    return np.concatenate([places[reached], rest + size * maxima.size]), bounds


def _maxima(scores: Vectors, size: int) -> Vectors:
    """The highest of each `size` scores of a column; what is left over is left out."""
    groups = len(scores) // size
    maxima: Vectors = scores[: groups * size].reshape(size, groups, -1).max(axis=0)
    return maxima
