"""BM25 as Lucene defines it, by the bm25s library."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.retrieve.index.base import Progress, Retriever, require_positive, words_of
from engine.retrieve.index.postings import known_numbers, number_terms
from engine.retrieve.index.ranking import ChunkTable, Scores, top_rows
from engine.text.content_words import is_content
from engine.text.segmentation import terms
from store.records import Hit, SearchText

K1 = 1.2
B = 0.75


class Bm25Index:
    """bm25s with its Lucene variant, k1 1.2 and b 0.75 (Lucene's own defaults).

    score(q, d) = sum over the terms t of q of idf(t) * tf / (tf + k1 * (1 - b + b * |d| / avgdl))
    with idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)); a term repeated in q counts as often.
    """

    name = "bm25"
    libraries: tuple[str, ...] = ("bm25s", "rjieba")

    def parameters(self) -> Mapping[str, int | float | str]:
        return {"k1": K1, "b": B, "variant": "lucene"}

    def build(self, texts: Sequence[str], folder: Path, progress: Progress) -> None:
        import bm25s

        numbered = number_terms(texts, progress)
        progress("index", 0, 1)
        index = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy", csc_backend="scipy")
        index.index(
            (numbered.rows, numbered.vocabulary), create_empty_token=False, show_progress=False
        )
        index.save(folder, show_progress=False)
        progress("index", 1, 1)

    def load(self, folder: Path, chunks: ChunkTable) -> Retriever:
        import bm25s

        index = bm25s.BM25.load(folder, mmap=True, show_progress=False)
        for name in ("data", "indices", "indptr"):
            # without np.asarray every slice would pay for the bookkeeping of numpy's memmap class
            index.scores[name] = np.asarray(index.scores[name])
        return Bm25(index, chunks)


class Bm25:
    """Ranks chunks by BM25, and words of a text by TF-IDF."""

    name = Bm25Index.name

    def __init__(self, index: Any, chunks: ChunkTable) -> None:
        self._index = index
        self._chunks = chunks

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        require_positive(k)
        return [self._search(query, k) for query in queries]

    def key_terms(self, text: str, most: int) -> tuple[str, ...]:
        """The `most` words of a text that weigh most by TF-IDF over the chunks, in their order in
        the text; fewer where fewer are left without stop words, numbers and words of no chunk.

        A word weighs (1 + ln tf) * (ln((1 + N) / (1 + df)) + 1), as in scikit-learn's smoothed
        TF-IDF with sublinear tf. Of equal weights the earlier word is taken.
        """
        starts = self._index.scores["indptr"]
        weights = {
            term: (1 + math.log(count)) * (math.log((1 + len(self._chunks)) / (1 + df)) + 1)
            for term, count in Counter(terms(text)).items()
            if (number := self._index.vocab_dict.get(term)) is not None
            and (df := int(starts[number + 1] - starts[number]))
            and is_content(term)
        }
        best = sorted(weights, key=weights.__getitem__, reverse=True)[:most]
        return tuple(term for term in weights if term in best)

    def _search(self, query: SearchText, k: int) -> list[Hit]:
        numbers = known_numbers(self._index.vocab_dict, words_of(query))
        if not numbers:
            return []
        scores: Scores = self._index.get_scores_from_ids(numbers)
        rows = top_rows(scores, np.flatnonzero(scores), k)
        return self._chunks.hits(rows, scores[rows])
