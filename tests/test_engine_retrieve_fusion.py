"""Fusions: by reciprocal rank, by normalised scores, as a union, and by sampling."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieve.fusion import FUSIONS, FusionRetriever, fuse
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
    fusion = FusionRetriever("hybrid:bm25+lsa*2", sides, [1.0, 2.0], "hybrid")
    queries = ["利率", "cash bond", "unheardof"]
    expected = [
        fuse([side.search([query], 100)[0] for side in sides], [1.0, 2.0], 4) for query in queries
    ]
    assert fusion.search(queries, 4) == expected
    assert expected[2] == []
    assert fusion.search(queries, 1) == [row[:1] for row in expected]
    assert fusion.name == "hybrid:bm25+lsa*2"


def test_k_must_be_positive(tmp_path):
    fusion = FusionRetriever("hybrid", [built(tmp_path, "bm25")], [1.0], "hybrid")
    with pytest.raises(ValueError, match="at least 1"):
        fusion.search(["cash"], 0)


ONE = [Hit("a", 0, 1, 6.0), Hit("b", 0, 1, 4.0), Hit("c", 0, 1, 2.0)]
OTHER = [Hit("c", 0, 1, 0.9), Hit("a", 0, 1, 0.7), Hit("d", 0, 1, 0.2)]


@pytest.mark.parametrize(
    ("fusion", "expected"),
    [
        # (s - 2) / 4 and (s - 0.2) / 0.7
        ("minmax", {"a": 1 + 0.5 * 5 / 7, "b": 0.5, "c": 0.5, "d": 0.0}),
        ("maximum", {"a": 1 + 0.5 * 7 / 9, "b": 4 / 6, "c": 2 / 6 + 0.5, "d": 0.5 * 2 / 9}),
        # deviations sqrt(8 / 3) and sqrt(0.26 / 3)
        (
            "zscore",
            {
                "a": 2 / (8 / 3) ** 0.5 + 0.5 * 0.1 / (0.26 / 3) ** 0.5,
                "b": 0.0,
                "c": -2 / (8 / 3) ** 0.5 + 0.5 * 0.3 / (0.26 / 3) ** 0.5,
                "d": 0.5 * -0.4 / (0.26 / 3) ** 0.5,
            },
        ),
    ],
)
def test_scores_are_normalised_list_by_list_and_added_by_weight(fusion, expected):
    found = FUSIONS[fusion].join([ONE, OTHER], [1.0, 0.5], 9, "rate?")
    assert {hit.document_id: hit.score for hit in found} == pytest.approx(expected)
    assert names(found) == sorted(expected, key=lambda name: (-expected[name], name))


@pytest.mark.parametrize("fusion", ["minmax", "maximum", "zscore"])
def test_a_list_of_one_score_or_of_none_is_no_error(fusion):
    found = FUSIONS[fusion].join([[Hit("a", 0, 1, 0.0)], []], [1.0, 1.0], 9, "rate?")
    assert [hit.score for hit in found] == [0.0]


def test_a_union_holds_the_best_of_each_side_and_no_more():
    found = FUSIONS["union"].join([ONE[:2], OTHER[:2]], [1.0, 1.0], 4, "rate?")
    assert [(hit.document_id, hit.score) for hit in found] == [("a", 1), ("c", 1), ("b", 1 / 2)]
    assert FUSIONS["union"].depth(16, 2) == 8


def test_a_sample_is_drawn_by_the_question_and_ordered_by_rank():
    lists = [hits(*"abcdefgh"), hits(*"ijklmnop")]
    drawn = {}
    for question in map(str, range(40)):
        found = FUSIONS["sample"].join(lists, [1.0, 1.0], 8, question)
        assert found == FUSIONS["sample"].join(lists, [1.0, 1.0], 8, question)
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
        assert len(found) == 8
        for name in names(found):
            drawn[name] = drawn.get(name, 0) + 1
    # each of sixteen is drawn about every other time: 20 of 40, standard deviation 3.2
    assert len(drawn) == 16
    assert max(abs(count - 20) for count in drawn.values()) < 14


def test_random_runs_with_ties_are_fused_as_ranx_fuses_them():
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    draw = random.Random(7)
    for fusion, norm, method in (
        ("hybrid", None, "rrf"),
        ("minmax", "min-max", "wsum"),
        ("maximum", "max", "wsum"),
        ("zscore", "zmuv", "wsum"),
    ):
        for _ in range(20):
            lists = []
            for _ in range(3):
                chosen = draw.sample("abcdefghijklmnopqrst", 12)
                # ranx breaks ties within a run in its own way, which matters where ranks count
                scores = (
                    draw.sample(range(1, 99), 12)
                    if norm is None
                    else draw.choices((0.5, 1.0, 1.5, 2.0, 4.0), k=12)
                )
                ranked = sorted(zip(scores, chosen, strict=True), key=lambda one: -one[0])
                lists.append([Hit(name, 0, 1, float(score)) for score, name in ranked])
            weights = [1.0, 1.0, 1.0] if norm is None else [0.2, 0.3, 0.5]
            theirs = ranx.fuse(
                runs=[
                    ranx.Run({"q": {hit.document_id: hit.score for hit in ranked}})
                    for ranked in lists
                ],
                norm=norm,
                method=method,
                params={"k": 60} if norm is None else {"weights": weights},
            )
            ours = FUSIONS[fusion].join(lists, weights, 99, "q")
            expected = theirs.to_dict()["q"]
            assert {hit.document_id: hit.score for hit in ours} == pytest.approx(expected)
