"""BM25 as rank_bm25's `BM25Okapi` defines it, on an inverted index."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.retrieve.index.base import Progress, Retriever, require_positive, words_of
from engine.retrieve.index.postings import (
    Postings,
    count_terms,
    known_numbers,
    number_terms,
    read_vocabulary,
    write_arrays,
    write_vocabulary,
)
from engine.retrieve.index.ranking import ChunkTable, Rows, read_array, top_rows
from store.records import Hit, SearchText

K1 = 1.5
B = 0.75
EPSILON = 0.25

_VOCABULARY = "vocabulary.json"


class OkapiIndex:
    """The scores of rank_bm25's `BM25Okapi` to the bit, without its pass over every text.

    score(q, d) = sum over the terms t of q of idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b
    + b * |d| / avgdl)) with idf(t) = ln(N - df + 0.5) - ln(df + 0.5); a negative idf is
    replaced by epsilon times the mean idf. In a tiny corpus that mean is itself negative, and
    a chunk that shares terms may score 0 or less; it is a hit all the same.
    """

    name = "bm25-okapi"
    libraries: tuple[str, ...] = ("rjieba",)

    def parameters(self) -> Mapping[str, int | float | str]:
        return {"k1": K1, "b": B, "epsilon": EPSILON}

    def build(self, texts: Sequence[str], folder: Path, progress: Progress) -> None:
        numbered = number_terms(texts, progress)
        progress("index", 0, 1)
        postings = count_terms(numbered)
        weights = _weights(postings)
        write_arrays(folder, starts=postings.starts, rows=postings.rows, weights=weights)
        write_vocabulary(folder / _VOCABULARY, numbered.vocabulary)
        progress("index", 1, 1)

    def load(self, folder: Path, chunks: ChunkTable) -> Retriever:
        arrays = [read_array(folder / f"{name}.npy") for name in ("starts", "rows", "weights")]
        return _Okapi(read_vocabulary(folder / _VOCABULARY), arrays, chunks)


class _Okapi:
    name = OkapiIndex.name

    def __init__(
        self, vocabulary: dict[str, int], arrays: Sequence[NDArray[Any]], chunks: ChunkTable
    ) -> None:
        self._vocabulary = vocabulary
        self._starts, self._rows, self._weights = arrays
        self._chunks = chunks

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        require_positive(k)
        return [self._search(query, k) for query in queries]

    def _search(self, query: SearchText, k: int) -> list[Hit]:
        numbers = known_numbers(self._vocabulary, words_of(query))
        if not numbers:
            return []
        scores = self._scores(numbers)
        candidates = np.flatnonzero(scores > 0)
        if len(candidates) < k:
            candidates = self._sharing(numbers)
        rows = top_rows(scores, candidates, k)
        return self._chunks.hits(rows, scores[rows])

    def _scores(self, numbers: Sequence[int]) -> NDArray[np.float64]:
        scores = np.zeros(len(self._chunks))
        # term by term in the query's order: another order would round otherwise
        for number in numbers:
            start, end = self._starts[number], self._starts[number + 1]
            np.add.at(scores, self._rows[start:end], self._weights[start:end])
        return scores

    def _sharing(self, numbers: Sequence[int]) -> Rows:
        """The rows that share a term with the query, ascending."""
        shared = np.zeros(len(self._chunks), dtype=np.bool_)
        for number in numbers:
            shared[self._rows[self._starts[number] : self._starts[number + 1]]] = True
        return np.flatnonzero(shared)


def _weights(postings: Postings) -> NDArray[np.float64]:
    """The part of a score that each posting adds; the operations and their order are
    rank_bm25's."""
    lengths, counts = postings.lengths, postings.counts
    mean_length = int(lengths.sum()) / len(lengths)
    damping = (K1 * (1 - B + B * lengths / mean_length))[postings.rows]
    frequencies = np.diff(postings.starts)
    idf = np.repeat(_idf(frequencies.tolist(), len(lengths)), frequencies)
    weights: NDArray[np.float64] = idf * (counts * (K1 + 1) / (counts + damping))
    return weights


def _idf(document_frequencies: Sequence[int], documents: int) -> NDArray[np.float64]:
    values = [math.log(documents - n + 0.5) - math.log(n + 0.5) for n in document_frequencies]
    floor = EPSILON * (_sum_in_order(values) / len(values))
    return np.array([floor if value < 0 else value for value in values])


def _sum_in_order(values: Sequence[float]) -> float:
    """The sum as plain float additions from the left; `sum` compensates since Python 3.12."""
    total = 0.0
    for value in values:
        total += value
    return total
