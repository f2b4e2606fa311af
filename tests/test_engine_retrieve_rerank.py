"""Reranking reorders the best chunks by what a model says of their texts."""

from __future__ import annotations

import pytest

from engine.retrieve.index.artefacts import open_or_build
from engine.retrieve.index.base import IndexColumns
from engine.retrieve.rerank import RerankedRetriever, rerank
from store.records import Hit, MixedQuery

TEXTS = {f"d{row}": "cash " * (9 - row) + "flow " * row for row in range(1, 9)}


class ShareOfWord:
    """Scores a text by its share of one word; remembers what it was asked."""

    def __init__(self, word):
        self.word = word
        self.asked = []

    def score(self, query, texts):
        self.asked.append((query, list(texts)))
        return [text.split().count(self.word) / len(text.split()) for text in texts]


def texts_of(hits):
    return [TEXTS[hit.document_id] for hit in hits]


def bm25(folder):
    columns = IndexColumns(list(TEXTS), [0] * 8, [9] * 8, list(TEXTS.values()))
    return open_or_build(folder, "bm25", "print", lambda: columns)


def names(hits):
    return [hit.document_id for hit in hits]


def test_a_reranker_reads_the_question_without_its_hypothetical_text(tmp_path):
    reranker = ShareOfWord("flow")
    reranked = RerankedRetriever(bm25(tmp_path), [(reranker, 3)], texts_of)
    reranked.search([MixedQuery("cash?", "the flow of it", 0.5)], 2)
    assert [query for query, _ in reranker.asked] == ["cash?"]


def test_the_model_sees_the_query_with_each_text_and_its_scores_decide():
    reranker = ShareOfWord("flow")
    hits = [Hit("d1", 0, 9, 5.0), Hit("d7", 0, 9, 4.0), Hit("d4", 0, 9, 3.0)]
    found = rerank("现金流?", hits, reranker, texts_of)
    assert reranker.asked == [("现金流?", texts_of(hits))]
    assert [(hit.document_id, hit.score) for hit in found] == [
        ("d7", 7 / 9),
        ("d4", 4 / 9),
        ("d1", 1 / 9),
    ]


def test_ties_are_ordered_by_chunk_whatever_the_order_before():
    hits = [Hit("d4", 5, 9, 9.0), Hit("d4", 0, 9, 5.0), Hit("d4", 0, 4, 1.0)]
    found = rerank("q", hits, ShareOfWord("flow"), texts_of)
    assert [(hit.start, hit.end) for hit in found] == [(0, 4), (0, 9), (5, 9)]


def test_each_stage_sees_the_best_of_the_one_before(tmp_path):
    base = bm25(tmp_path)
    first, second = ShareOfWord("flow"), ShareOfWord("cash")
    retriever = RerankedRetriever(base, [(first, 5), (second, 3)], texts_of)
    candidates = names(base.search(["cash"], 5)[0])
    kept = sorted(candidates, reverse=True)[:3]  # the most of `flow`
    assert [names(row) for row in retriever.search(["cash"], 10)] == [sorted(kept)]
    assert [len(asked) for _, asked in first.asked + second.asked] == [5, 3]


def test_a_shorter_list_begins_the_longer_one_and_none_is_longer_than_the_depth(tmp_path):
    retriever = RerankedRetriever(bm25(tmp_path), [(ShareOfWord("flow"), 4)], texts_of)
    longest = retriever.search(["cash", "flow"], 100)
    assert [len(row) for row in longest] == [4, 4]
    assert retriever.search(["cash", "flow"], 2) == [row[:2] for row in longest]


def test_a_query_without_hits_asks_no_model(tmp_path):
    reranker = ShareOfWord("flow")
    assert RerankedRetriever(bm25(tmp_path), [(reranker, 4)], texts_of).search(["没有"], 3) == [[]]
    assert reranker.asked == []


def test_impossible_requests_are_refused(tmp_path):
    with pytest.raises(ValueError, match="at least one stage"):
        RerankedRetriever(bm25(tmp_path), [], texts_of)
    retriever = RerankedRetriever(bm25(tmp_path), [(ShareOfWord("flow"), 4)], texts_of)
    with pytest.raises(ValueError, match="at least 1"):
        retriever.search(["cash"], 0)
