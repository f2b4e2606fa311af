"""LSA compares by cosine, in a space where words that go together are near."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from engine.retrieve.index.base import IndexColumns, no_progress
from engine.retrieve.index.lsa import LsaIndex
from engine.retrieve.index.ranking import ChunkTable
from engine.text.segmentation import terms


def random_texts(count, seed):
    chance = random.Random(seed)
    words = [f"w{n}" for n in range(400)]
    return [" ".join(chance.choices(words, k=chance.randint(5, 40))) for _ in range(count)]


def load(folder, texts):
    columns = IndexColumns(
        [f"d{n:04}" for n in range(len(texts))], [0] * len(texts), [0] * len(texts), texts
    )
    LsaIndex().build(texts, folder, no_progress)
    ChunkTable.write(folder, columns)
    return LsaIndex().load(folder, ChunkTable.read(folder))


def test_with_all_dimensions_scores_are_those_of_scikit_learns_tf_idf(tmp_path):
    texts, queries = random_texts(100, seed=1), random_texts(15, seed=2)
    weighting = TfidfVectorizer(analyzer=terms, sublinear_tf=True)
    weighted = weighting.fit_transform(texts).toarray()
    _, _, basis = np.linalg.svd(weighted, full_matrices=False)
    projected = weighting.transform(queries).toarray() @ basis.T
    projected /= np.linalg.norm(projected, axis=1, keepdims=True)
    cosines = projected @ (weighted @ basis.T).T
    found = load(tmp_path, texts).search(queries, 20)
    for expected, hits in zip(cosines, found, strict=True):
        rows = [int(hit.document_id[1:]) for hit in hits]
        assert [hit.score for hit in hits] == pytest.approx(expected[rows], abs=1e-4)
        assert [hit.score for hit in hits] == pytest.approx(-np.sort(-expected)[:20], abs=1e-4)


def test_a_chunk_is_found_by_words_of_its_neighbours(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.retrieve.index.lsa.DIMENSIONS", 2)
    banking = ["央行 利率", "利率 贷款", "贷款 央行 利率"]
    texts = [*banking, "基金 净值", "净值 股票", "基金 股票 净值"]
    hits = load(tmp_path, texts).search(["央行"], 6)[0]
    assert sorted(hit.document_id for hit in hits) == ["d0000", "d0001", "d0002"]


def test_scores_are_cosines(tmp_path):
    texts = random_texts(60, seed=3)
    for row, hits in enumerate(load(tmp_path, texts).search(texts, 60)):
        assert hits[0].document_id == f"d{row:04}"
        assert hits[0].score == pytest.approx(1, abs=1e-5)
        assert all(0 < hit.score <= 1.00001 for hit in hits)
