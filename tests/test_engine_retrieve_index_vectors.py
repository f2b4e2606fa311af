"""The exact search over vectors finds the same whatever else is asked with a query."""

from __future__ import annotations

import numpy as np
import pytest

from engine.retrieve.index import exact_search as searched
from engine.retrieve.index.base import IndexColumns
from engine.retrieve.index.ranking import ChunkTable
from engine.retrieve.index.vectors import VectorRetriever, read_vectors, unit, write_vectors

CHUNKS = 1000
ASKED = [str(row) for row in range(0, CHUNKS, 25)]


@pytest.fixture
def made():
    """Vectors of which each stands in three to five rows, some more at a right angle to all."""
    chance = np.random.default_rng(5)
    own = unit(chance.normal(size=(240, 12)).astype(np.float32))
    rows = own[chance.integers(0, len(own), CHUNKS)]
    rows[::50] = 0
    return rows


def retriever(folder, rows, floor=-np.inf):
    write_vectors(folder, rows)
    count = len(rows)
    ids = [f"d{row:04}" for row in range(count)]
    ChunkTable.write(folder, IndexColumns(ids, [0] * count, [9] * count, ids))
    return VectorRetriever(
        "made",
        lambda texts: rows[[int(text) for text in texts]],
        read_vectors(folder),
        ChunkTable.read(folder),
        floor,
    )


def ranking(rows, query, k, floor):
    scores = (rows.astype(float) @ rows[int(query)].astype(float)).round(6)
    order = np.argsort(-scores, kind="stable")
    return [(f"d{row:04}", scores[row]) for row in order[:k] if scores[row] > floor]


@pytest.mark.parametrize("k", [1, 10, 300, CHUNKS])
@pytest.mark.parametrize("floor", [-np.inf, 0])
@pytest.mark.parametrize("copied", [16_000_000, 0])
@pytest.mark.parametrize(("block", "at_once"), [(16_384, 1024), (90, 9)])
def test_a_batch_finds_what_each_query_finds_with_equal_scores_by_row(
    tmp_path, monkeypatch, made, k, floor, copied, block, at_once
):
    monkeypatch.setattr(searched, "_MOST_COPIED", copied)
    monkeypatch.setattr(searched, "_BLOCK", block)
    monkeypatch.setattr(searched, "_PRODUCTS", 9 * block)
    monkeypatch.setattr(searched, "_AT_ONCE", at_once)
    search = retriever(tmp_path, made, floor).search
    together = search(ASKED, k)
    assert together == [search([query], k)[0] for query in ASKED]
    for query, hits in zip(ASKED, together, strict=True):
        expected = ranking(made, query, k, floor)
        assert [hit.document_id for hit in hits] == [name for name, _ in expected]
        assert [hit.score for hit in hits] == pytest.approx(
            [score for _, score in expected], abs=2e-6
        )


def test_a_blank_query_has_no_hits_between_others(tmp_path, made):
    found = retriever(tmp_path, made).search(["1", "  ", "2"], 3)
    assert [len(hits) for hits in found] == [3, 0, 3]


def test_what_an_approximate_search_does_not_find_is_no_hit(tmp_path, made, recwarn):
    def one_only(queries, k):
        scores = np.full((len(queries), k), -np.inf, np.float32)
        rows = np.full((len(queries), k), -1)
        scores[:, 0], rows[:, 0] = 0.5, 3
        return scores, rows

    found = retriever(tmp_path, made).searching(one_only).search(["1", "2"], 4)
    assert [[(hit.document_id, hit.score) for hit in hits] for hits in found] == [
        [("d0003", 0.5)],
        [("d0003", 0.5)],
    ]
    assert not recwarn.list
