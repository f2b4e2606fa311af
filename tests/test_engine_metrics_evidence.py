"""Retrieved chunks are credited with the evidence they hold, each unit once, at its first hit."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.evidence import credit, credit_value, score_evidence, unit_grades
from engine.metrics.ranking import ranking_values
from store.records import Evidence, Hit, ScoreState

METRICS = (
    *("map", "mrr"),
    *(f"{base}@{k}" for base in ("ndcg", "recall", "precision", "hit") for k in (1, 3, 5)),
)
DOCUMENTS = st.sampled_from("abcdef")
POSITIONS = st.integers(0, 30)
SPANS = st.tuples(POSITIONS, POSITIONS).filter(lambda pair: pair[0] < pair[1])
HITS = st.lists(st.builds(lambda doc, span: Hit(doc, *span, 0.0), DOCUMENTS, SPANS), max_size=12)
EVIDENCE = st.lists(
    st.builds(
        lambda doc, span: Evidence(doc, *(span or (None, None))), DOCUMENTS, SPANS | st.none()
    ),
    min_size=1,
    max_size=6,
)


def hit(document_id, start, end):
    return Hit(document_id, start, end, 1.0)


@pytest.mark.parametrize(
    ("chunk", "span", "credited"),
    [
        ((0, 100), (50, 60), True),  # the evidence lies inside
        ((0, 100), (95, 105), True),  # half of the shorter, the evidence
        ((0, 100), (96, 106), False),
        ((40, 50), (0, 100), True),  # the chunk lies inside
        ((95, 105), (0, 100), True),  # half of the shorter, the chunk
        ((96, 106), (0, 100), False),
        ((0, 50), (50, 60), False),  # they only touch
    ],
)
def test_a_chunk_is_credited_from_half_of_the_shorter_on(chunk, span, credited):
    credits = credit([hit("a", *chunk)], [Evidence("a", *span)])
    assert credits == [(0,) if credited else ()]


def test_any_chunk_of_a_document_has_evidence_that_is_the_whole_document():
    hits = [hit("b", 0, 5), hit("a", 5, 9), hit("a", 0, 5)]
    assert credit(hits, [Evidence("a")]) == [(), (0,), ()]


def test_a_unit_counts_once_and_a_chunk_may_hold_several():
    evidence = [Evidence("a", 0, 10), Evidence("a", 10, 20), Evidence("a", 90, 99)]
    hits = [hit("a", 0, 20), hit("a", 0, 20), hit("a", 80, 100)]
    assert credit(hits, evidence) == [(0, 1), (), (2,)]


def test_evidence_with_the_same_span_is_one_unit():
    evidence = [Evidence("a", 0, 10, "x"), Evidence("a", 0, 10, "x"), Evidence("b")]
    assert unit_grades(evidence) == {0: 1, 2: 1}
    assert credit([hit("a", 0, 10), hit("b", 0, 1)], evidence) == [(0,), (2,)]


def test_values_of_a_worked_example():
    # rank 2 holds two of three units, rank 4 the third
    credits, grades = [(), (0, 2), (), (1,)], {0: 1, 1: 1, 2: 1}
    assert credit_value("map", credits, grades) == pytest.approx((2 * 1 / 2 + 1 * 2 / 4) / 3)
    assert credit_value("mrr", credits, grades) == 1 / 2
    assert credit_value("recall@3", credits, grades) == pytest.approx(2 / 3)
    assert credit_value("precision@4", credits, grades) == 2 / 4
    assert credit_value("hit@1", credits, grades) == 0
    dcg = 2 / math.log2(3) + 1 / math.log2(5)
    assert credit_value("ndcg@4", credits, grades) == pytest.approx(dcg / (2 + 1 / math.log2(3)))
    # of the first three ranks: two units found at rank 2, one still missing
    ideal = 2 + 1 / math.log2(3)
    assert credit_value("ndcg@3", credits, grades) == pytest.approx(2 / math.log2(3) / ideal)


def test_the_gain_of_a_rank_is_the_sum_of_the_grades_of_its_units():
    # rank 1 holds the unit of grade 1, rank 3 those of grades 2 and 3; one of grade 4 is missing
    credits, grades = [(0,), (), (1, 2)], {0: 1, 1: 2, 2: 3, 3: 4}
    ideal = 5 + 4 / math.log2(3) + 1 / 2
    assert credit_value("ndcg@3", credits, grades) == pytest.approx((1 + 5 / 2) / ideal)
    assert credit_value("recall@3", credits, grades) == 3 / 4


def test_one_large_chunk_first_is_as_good_as_all_units_one_by_one():
    for credits in ([(0, 1)], [(0,), (1,)]):
        assert credit_value("ndcg@5", credits, {0: 1, 1: 1}) == pytest.approx(1)
        assert credit_value("map", credits, {0: 1, 1: 1}) == pytest.approx(1)


def test_without_evidence_nothing_applies_and_without_hits_everything_is_0():
    assert {one.state for one in score_evidence([], [], METRICS)} == {ScoreState.NA}
    assert {one.value for one in score_evidence([], [Evidence("a")], METRICS)} == {0}


@given(HITS, EVIDENCE)
def test_values_lie_in_0_to_1_and_no_unit_is_credited_twice(hits, evidence):
    credited = [index for gained in credit(hits, evidence) for index in gained]
    assert len(set(credited)) == len(credited) <= len(unit_grades(evidence))
    for score in score_evidence(hits, evidence, METRICS):
        assert 0 <= score.value <= 1 + 1e-12


@given(
    st.lists(DOCUMENTS, max_size=10),
    st.dictionaries(DOCUMENTS, st.integers(1, 4), min_size=1),
)
def test_whole_documents_give_the_values_of_the_document_metrics(retrieved, relevance):
    hits = [hit(document, 0, 100) for document in retrieved]
    evidence = [Evidence(document, grade=grade) for document, grade in relevance.items()]
    found = score_evidence(hits, evidence, METRICS)
    expected = ranking_values(METRICS, retrieved, relevance)
    assert [score.value for score in found] == pytest.approx(expected, abs=1e-12)
