"""Multi-embedding vectors: cosines of several models added up by weight."""

from __future__ import annotations

import faiss
import numpy as np
import pytest

from engine.retrieve.index.base import IndexColumns
from engine.retrieve.index.joined_vectors import JoinedVectors
from engine.retrieve.index.ranking import ChunkTable
from engine.retrieve.index.vectors import VectorRetriever, unit
from engine.retrieve.settings import NeuralSettings, find_retrieval
from store.errors import UsageError
from store.records import MixedQuery
from store.systems import EmbeddingConfig

CHUNKS = 40
QUERIES = [f"query {number}" for number in range(5)]


def side(tmp_path, name, dimensions, seed, *, normalise=True):
    """A retriever over random vectors, where a text's vector is drawn by its hash."""
    draw = np.random.default_rng(seed)
    vectors = draw.normal(size=(CHUNKS, dimensions)).astype(np.float32)
    vectors = unit(vectors) if normalise else vectors

    def embed(texts):
        rows = [np.random.default_rng([seed, len(text), ord(text[-1])]) for text in texts]
        return unit(np.array([row.normal(size=dimensions) for row in rows], dtype=np.float32))

    index = faiss.IndexFlatIP(dimensions)
    index.add(vectors)
    ids = [f"d{row:02}" for row in range(CHUNKS)]
    columns = IndexColumns(ids, [0] * CHUNKS, [9] * CHUNKS, [""] * CHUNKS)
    ChunkTable.write(tmp_path, columns)
    chunks = ChunkTable.read(tmp_path)
    made = VectorRetriever(name, embed, index, chunks, has_unit_vectors=normalise)
    return made, vectors, embed


@pytest.mark.parametrize("join", ["concat", "cosines"])
def test_scores_are_those_of_the_vectors_joined(tmp_path, join):
    weights = [1.0, 0.5]
    (one, first, embed_first), (other, second, embed_second) = (
        side(tmp_path, "a", 8, 1),
        side(tmp_path, "b", 5, 2),
    )
    joined = JoinedVectors("a+b", [one, other], weights, join)
    # what is printed: the vectors a * q / |q| end to end, and their inner product
    factors = weights if join == "concat" else np.sqrt(weights)
    chunks = np.hstack([factors[0] * first, factors[1] * second])
    queries = np.hstack([factors[0] * embed_first(QUERIES), factors[1] * embed_second(QUERIES)])
    for expected, found in zip(queries @ chunks.T, joined.search(QUERIES, CHUNKS), strict=True):
        rows = [int(hit.document_id[1:]) for hit in found]
        assert [hit.score for hit in found] == pytest.approx(expected[rows], abs=2e-6)
        assert sorted(rows) == list(range(CHUNKS))
        assert found == sorted(found, key=lambda hit: (-hit.score, hit.document_id))
    assert joined.search(QUERIES, 3) == [found[:3] for found in joined.search(QUERIES, CHUNKS)]


def test_a_query_finds_the_same_whatever_is_asked_with_it(tmp_path):
    one, *_ = side(tmp_path, "a", 384, 1)
    joined = JoinedVectors("a+a", [one, one], [1.0, 0.3], "cosines")
    alone = [joined.search([query], CHUNKS)[0] for query in QUERIES]
    assert joined.search(QUERIES, CHUNKS) == alone


def test_the_nearest_chunks_move_every_part_of_a_query(tmp_path):
    one, first, embed = side(tmp_path, "a", 8, 1)
    joined = JoinedVectors("a+a", [one, one], [1.0, 1.0], "cosines")
    nearest = tuple(one.search(["query 1"], 2)[0])
    (found,) = joined.search([MixedQuery("query 1", nearest=nearest)], 1)
    rows = [int(hit.document_id[1:]) for hit in nearest]
    mean = np.vstack([embed(["query 1"]), first[rows]]).mean(axis=0)
    assert found[0].score == pytest.approx(
        2 * float((first @ unit(mean[None, :])[0]).max()), abs=2e-6
    )


def test_a_blank_query_has_no_hits(tmp_path):
    one, *_ = side(tmp_path, "a", 8, 1)
    other, *_ = side(tmp_path, "b", 5, 2)
    joined = JoinedVectors("a+b", [one, other], [1.0, 1.0], "concat")
    assert [len(found) for found in joined.search(["", "query 1"], 2)] == [0, 2]


def test_vectors_of_other_lengths_are_refused(tmp_path):
    one, *_ = side(tmp_path, "a", 8, 1)
    raw, *_ = side(tmp_path, "raw", 5, 2, normalise=False)
    with pytest.raises(UsageError, match="'raw' has vectors of other lengths"):
        JoinedVectors("a+raw", [one, raw], [1.0, 1.0], "concat")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("concat:e5+bm25", "joins vectors, and 'bm25' has none"),
        ("union:bm25+e5", "gives candidates in no order"),
        ("concat:e5", "joins only one retriever"),
    ],
)
def test_joins_that_cannot_be_are_refused(written, message):
    settings = NeuralSettings({"e5": EmbeddingConfig("e5", "o/m")})
    assert find_retrieval(settings, "concat:e5+lsa*2").retriever == "concat:e5+lsa*2"
    with pytest.raises(UsageError, match=message):
        find_retrieval(settings, written)
