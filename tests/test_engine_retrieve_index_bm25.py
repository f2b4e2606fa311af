"""The default retriever's scores are Lucene's BM25."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from engine.retrieve.index.base import IndexColumns, no_progress
from engine.retrieve.index.bm25 import Bm25Index
from engine.retrieve.index.ranking import ChunkTable
from store.records import MixedQuery


def lucene_score(query, text, texts):
    documents = [other.split() for other in texts]
    mean_length = sum(map(len, documents)) / len(documents)
    counts = Counter(text.split())
    score = 0.0
    for term in query.split():
        holding = sum(term in document for document in documents)
        idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        length = len(text.split()) / mean_length
        score += idf * counts[term] / (counts[term] + 1.2 * (1 - 0.75 + 0.75 * length))
    return score


def test_the_words_that_weigh_most_are_those_of_few_chunks(tmp_path):
    texts = ["rate rose 2024", "rate fell 2024", "rate of 基金 净值", "the yield"]
    columns = IndexColumns(["a", "b", "c", "d"], [0] * 4, [9] * 4, texts)
    Bm25Index().build(texts, tmp_path, no_progress)
    ChunkTable.write(tmp_path, columns)
    index = Bm25Index().load(tmp_path, ChunkTable.read(tmp_path))
    # neither stop words, numbers, nor words of no chunk; the rate is in three chunks of four
    assert index.key_terms("the rate of unseen yield rose in 2024", 2) == ("yield", "rose")
    assert index.key_terms("rate yield", 4) == ("rate", "yield")
    # (1 + ln 3) * (ln(5 / 4) + 1) > ln(5 / 2) + 1
    assert index.key_terms("rate rate rate 基金", 1) == ("rate",)
    assert index.key_terms("基金的净值", 2) == ("基金", "净值")
    assert index.key_terms("unseen", 2) == ()


def test_a_hypothetical_text_is_searched_for_behind_the_question(tmp_path):
    texts = ["rate rose", "bond fell", "fund gained"]
    columns = IndexColumns(["a", "b", "c"], [0] * 3, [9] * 3, texts)
    Bm25Index().build(texts, tmp_path, no_progress)
    ChunkTable.write(tmp_path, columns)
    retriever = Bm25Index().load(tmp_path, ChunkTable.read(tmp_path))
    mixed, plain = retriever.search([MixedQuery("rate", "fund", 0.9), "rate\n\nfund"], 3)
    assert mixed == plain
    assert {hit.document_id for hit in mixed} == {"a", "c"}


def test_scores_follow_the_formula(tmp_path):
    chance = random.Random(5)
    words = [f"w{n}" for n in range(30)]
    texts = [" ".join(chance.choices(words, k=chance.randint(1, 20))) for _ in range(60)]
    columns = IndexColumns([f"d{n:02}" for n in range(60)], [0] * 60, [1] * 60, texts)
    Bm25Index().build(columns.texts, tmp_path, no_progress)
    ChunkTable.write(tmp_path, columns)
    retriever = Bm25Index().load(tmp_path, ChunkTable.read(tmp_path))
    for query in ("w1", "w2 w3 w4", "w5 w5 w6"):
        hits = retriever.search([query], 60)[0]
        assert hits
        for hit in hits:
            text = texts[int(hit.document_id[1:])]
            assert hit.score == pytest.approx(lucene_score(query, text, texts), rel=1e-5)
