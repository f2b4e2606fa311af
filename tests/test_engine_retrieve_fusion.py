"""Reciprocal rank fusion adds up ranks, and nothing but ranks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieve.fusion import FusionRetriever, fuse
from engine.retrieve.index.artefacts import open_or_build
from engine.retrieve.index.base import IndexColumns
from store.records import Hit


def hits(*names):
    return [Hit(name, 0, 1, 1.0 / rank) for rank, name in enumerate(names, 1)]


def names(found):
    return [hit.document_id for hit in found]


RANKED = st.lists(
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8).map(lambda row: hits(*row)),
    min_size=1,
    max_size=4,
)


def test_scores_are_those_of_the_formula():
    found = fuse([hits("a", "b"), hits("b", "c")], [1.0, 0.5], 10)
    assert [(hit.document_id, hit.score) for hit in found] == [
        ("b", pytest.approx(1 / 62 + 0.5 / 61)),
        ("a", pytest.approx(1 / 61)),
        ("c", pytest.approx(0.5 / 62)),
    ]


def test_ties_are_ordered_by_document_start_and_end():
    one = [Hit("b", 0, 9, 2.0), Hit("a", 5, 9, 1.0)]
    other = [Hit("a", 0, 9, 2.0), Hit("a", 5, 7, 1.0)]
    assert [hit.chunk_id for hit in fuse([one, other], [1, 1], 9)] == [
        "a:0-9",
        "b:0-9",
        "a:5-7",
        "a:5-9",
    ]


def test_chunks_of_one_document_are_not_mixed_up():
    found = fuse([[Hit("a", 0, 5, 1.0)], [Hit("a", 5, 9, 1.0)]], [1, 1], 5)
    assert [hit.score for hit in found] == [1 / 61, 1 / 61]


@given(RANKED)
def test_the_order_of_the_lists_does_not_matter(lists):
    weights = [1.0] * len(lists)
    assert fuse(lists, weights, 20) == fuse(lists[::-1], weights, 20)


@given(RANKED)
def test_a_shorter_list_begins_a_longer_one(lists):
    weights = [1.0] * len(lists)
    assert fuse(lists, weights, 3) == fuse(lists, weights, 20)[:3]


@given(RANKED)
def test_one_list_keeps_its_order(lists):
    assert names(fuse(lists[:1], [0.5], 20)) == names(lists[0])


@given(RANKED)
def test_every_chunk_found_is_there_once_and_scores_go_down(lists):
    found = fuse(lists, [1.0] * len(lists), 99)
    assert sorted(names(found)) == sorted({name for row in lists for name in names(row)})
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


TEXTS = ["利率 上升", "银行 贷款 利率", "基金 净值", "cash flow", "cash bond fund", "bond risk"]


def built(folder, kind):
    ids = [f"d{row}" for row in range(len(TEXTS))]
    columns = IndexColumns(ids, [0] * len(ids), [9] * len(ids), TEXTS)
    return open_or_build(folder, kind, "print", lambda: columns)


def test_real_retrievers_are_fused_on_their_own_ranks(tmp_path):
    sides = [built(tmp_path, "bm25"), built(tmp_path, "lsa")]
    fusion = FusionRetriever("hybrid:bm25+lsa*2", sides, [1.0, 2.0])
    queries = ["利率", "cash bond", "unheardof"]
    expected = [
        fuse([side.search([query], 100)[0] for side in sides], [1.0, 2.0], 4) for query in queries
    ]
    assert fusion.search(queries, 4) == expected
    assert expected[2] == []
    assert fusion.search(queries, 1) == [row[:1] for row in expected]
    assert fusion.name == "hybrid:bm25+lsa*2"


def test_k_must_be_positive(tmp_path):
    fusion = FusionRetriever("hybrid", [built(tmp_path, "bm25")], [1.0])
    with pytest.raises(ValueError, match="at least 1"):
        fusion.search(["cash"], 0)
