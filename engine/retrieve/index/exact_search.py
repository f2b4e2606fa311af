"""The exact search over the vectors of a flat index, by products of matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

import numpy as np

from engine.retrieve.index.ranking import Rows, Vectors

Nearest = Callable[[Vectors, int], tuple[Vectors, Rows]]
"""Queries and a number to scores and rows, a row for each query, best first."""

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

    @cache
    def matrix() -> Vectors:
        vectors: Vectors = index.reconstruct_n(0, index.ntotal)
        return vectors

    def nearest(queries: Vectors, k: int) -> tuple[Vectors, Rows]:
        scores = np.empty((len(queries), k), np.float32)
        rows = np.empty((len(queries), k), np.int64)
        for start in range(0, len(queries), _AT_ONCE):
            part = queries[start : start + _AT_ONCE]
            if len(part) < _FEW:
                with _one_thread(library) if fits else nullcontext():
                    _, best = index.search(part, k)
            elif fits:
                best = _best(_cut(matrix(), max(k, _PRODUCTS // len(part))), part, k)
            else:
                best = _best(_copied(index, max(k, _BLOCK)), part, k)
            # a product's last digits depend on what else it is computed with
            vectors = index.reconstruct_batch(best.ravel()).reshape(*best.shape, index.d)
            exact = np.einsum("qkd,qd->qk", vectors, part, dtype=np.float64)
            order = np.argsort(-exact, axis=1, kind="stable")
            each = np.arange(len(part))[:, None]
            rows[start : start + _AT_ONCE] = best[each, order]
            scores[start : start + _AT_ONCE] = exact[each, order]
        return scores, rows

    return nearest


@contextmanager
def _one_thread(faiss: Any) -> Iterator[None]:
    """Lets faiss search with the calling thread alone: others wait for each other, ten times as
    long as the products of a small index take, where other processes keep the processors busy."""
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)


def _cut(matrix: Vectors, size: int) -> Iterator[Vectors]:
    for start in range(0, len(matrix), size):
        yield matrix[start : start + size]


def _copied(index: Any, size: int) -> Iterator[Vectors]:
    """The vectors of an index, so many at a time; each block is overwritten by the next."""
    held = np.empty((size, index.d), np.float32)
    for start in range(0, index.ntotal, size):
        count = min(size, index.ntotal - start)
        yield index.reconstruct_n(start, count, held[:count])


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
        places, of_query, bounds = _above(scores, bounds, k)
        row = np.concatenate([row, places + start])
        query = np.concatenate([query, of_query])
        score = np.concatenate([score, scores[places, of_query]])
        order = np.lexsort((-score, query))
        firsts = np.searchsorted(query[order], np.arange(count))
        kept = order[(firsts[:, None] + np.arange(k)).ravel()]
        row, query, score = row[kept], query[kept], score[kept]
        bounds = score.reshape(count, k)[:, -1]
        start += len(block)
    return row.reshape(count, k)


def _above(scores: Vectors, bounds: Vectors | None, k: int) -> tuple[Rows, Rows, Vectors]:
    """The places of scores (a column for each query) that are not below the query's bound, and the
    bounds; where there are none yet, those that at least `k` scores of each query reach.

    Groups are compared by their maxima: the k-th best of these bounds the k-th best of all.
    """
    size = _GROUP if len(scores) >= _GROUP * k else 1
    groups = len(scores) // size
    grouped = scores[: groups * size]
    maxima = grouped.reshape(size, groups, -1).max(axis=0) if size > 1 else grouped
    if bounds is None:
        bounds = np.partition(maxima.T, groups - k, axis=1)[:, groups - k]
    group, query = np.divmod(np.flatnonzero(maxima >= bounds), len(bounds))
    rest, of_rest = np.divmod(np.flatnonzero(scores[groups * size :] >= bounds), len(bounds))
    places = np.concatenate([np.add.outer(group, groups * np.arange(size)).ravel(), rest])
    places[len(places) - len(rest) :] += groups * size
    queries = np.concatenate([np.repeat(query, size), of_rest])
    reached = scores[places, queries] >= bounds[queries]
    return places[reached], queries[reached], bounds
