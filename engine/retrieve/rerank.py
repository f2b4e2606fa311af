"""Reranking: the best chunks of a retriever, put into another order by a model that reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from engine.retrieve.index.base import Retriever, question_of, require_positive
from store.records import Hit, SearchText

ChunkTexts = Callable[[Sequence[Hit]], Sequence[str]]
"""The texts of chunks as they were indexed: title and text."""


class Reranker(Protocol):
    """Scores texts for a query; higher is better."""

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One score for each text, in order."""


def rerank(query: str, hits: Sequence[Hit], reranker: Reranker, texts: ChunkTexts) -> list[Hit]:
    """`hits` with the reranker's scores, best first.

    Equal scores are ordered by document id, start and end: the order before does not count.
    """
    scores = reranker.score(query, texts(hits)) if hits else ()
    scored = [
        Hit(hit.document_id, hit.start, hit.end, score)
        for hit, score in zip(hits, scores, strict=True)
    ]
    return sorted(scored, key=lambda hit: (-hit.score, hit.document_id, hit.start, hit.end))


class RerankedRetriever:
    """A retriever whose best chunks pass through one reranker after another.

    Each stage sees the best `depth` chunks so far and drops the others, so a list is never
    longer than the last stage's depth.
    """

    def __init__(
        self, retriever: Retriever, stages: Sequence[tuple[Reranker, int]], texts: ChunkTexts
    ) -> None:
        if not stages:
            raise ValueError("reranking needs at least one stage")
        self.name = retriever.name
        self.candidates = retriever
        self._stages = stages
        self._texts = texts

    def over(self, candidates: Retriever) -> RerankedRetriever:
        """The same rerankers over other candidates."""
        return RerankedRetriever(candidates, self._stages, self._texts)

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        require_positive(k)
        match = self.candidates.search(queries, self._stages[0][1])
        return [
            self._pass(question_of(query), hits)[:k]
            for query, hits in zip(queries, match, strict=True)
        ]

    def _pass(self, query: str, hits: list[Hit]) -> list[Hit]:
        for reranker, depth in self._stages:
            hits = rerank(query, hits[:depth], reranker, self._texts)
        return hits
