"""`bm25-okapi` gives rank_bm25's scores, to the last bit."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from rank_bm25 import BM25Okapi

from engine.retrieve.index.base import IndexColumns, no_progress
from engine.retrieve.index.okapi import OkapiIndex
from engine.retrieve.index.ranking import ChunkTable
from engine.text.segmentation import terms

NEWS = Path(__file__).parents[2] / "shared" / "data" / "zh_news_20k" / "documents.jsonl.gz"


def assert_equal_to_rank_bm25(folder, texts, queries):
    """Every score is the same float; only chunks that share no term are left out."""
    ids = [f"d{row:05}" for row in range(len(texts))]
    columns = IndexColumns(ids, [0] * len(texts), [0] * len(texts), texts)
    OkapiIndex().build(texts, folder, no_progress)
    ChunkTable.write(folder, columns)
    retriever = OkapiIndex().load(folder, ChunkTable.read(folder))
    oracle = BM25Okapi([terms(text) for text in texts])
    vocabularies = [set(terms(text)) for text in texts]
    for query, hits in zip(queries, retriever.search(queries, len(texts)), strict=True):
        words = terms(query)
        scores = oracle.get_scores(words)
        # with fewer than k positive scores every sharing chunk is listed
        expected = [row for row in range(len(texts)) if vocabularies[row] & set(words)]
        expected.sort(key=lambda row: (-scores[row], row))
        assert [(hit.document_id, hit.score) for hit in hits] == [
            (ids[row], scores[row]) for row in expected
        ]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [1, 2, 5, 200])
def test_random_texts(tmp_path, size, seed):
    chance = random.Random(seed)
    # skewed frequencies: some words stand in most texts, where idf is negative
    words = [f"w{n}" for n in range(40) for _ in range(40 // (n + 1))]
    texts = [" ".join(chance.choices(words, k=chance.randint(1, 60))) for _ in range(size)]
    queries = [" ".join(chance.choices([*words, "unknown"], k=6)) for _ in range(10)]
    assert_equal_to_rank_bm25(tmp_path, texts, queries)


def test_a_text_without_words_counts_as_a_document(tmp_path):
    assert_equal_to_rank_bm25(
        tmp_path, ["利率", "", "cash 利率", "——"], ["利率", "cash", "利率 cash"]
    )


@pytest.mark.skipif(not NEWS.exists(), reason="needs the news sample")
def test_real_news(tmp_path):
    with gzip.open(NEWS, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line, _ in zip(lines, range(1000), strict=False)]
    assert_equal_to_rank_bm25(tmp_path, texts, [text[200:240] for text in texts[:20]])
