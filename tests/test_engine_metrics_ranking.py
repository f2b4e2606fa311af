"""The standard ranking metrics are trec_eval's, except that no judged query is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from trec_ranking import rank_by_score

from engine.metrics.ranking import ranking_values, score_ranking
from store.records import ScoreState

ORACLE = json.loads(
    (Path(__file__).parent / "data/parity/crud_ranking_claims.json").read_text("utf-8")
)["retrieval"]
IDS = st.sampled_from([f"d{number}" for number in range(12)])
GRADES = st.dictionaries(IDS, st.integers(0, 3), min_size=1)
RUNS = st.dictionaries(IDS, st.integers(0, 4).map(float))
CUTS = (1, 3, 5, 10)


def ranking_value(name, retrieved_ids, relevance, k=None):
    (value,) = ranking_values((name,), retrieved_ids, relevance, k)
    return value


def trec_name(name):
    """trec_eval's name of one of our metrics, and of its family in pytrec_eval."""
    base, _, k = name.partition("@")
    families = {"ndcg": "ndcg_cut", "recall": "recall", "precision": "P", "hit": "success"}
    return f"{families[base]}_{k}" if k else {"map": "map", "mrr": "recip_rank"}[base]


TREC_METRICS = (
    *("map", "mrr"),
    *(f"{base}@{k}" for base in ("ndcg", "recall", "precision") for k in CUTS),
    *("hit@1", "hit@5", "hit@10"),  # trec_eval knows no success_3
)


@pytest.mark.parametrize("case", ORACLE, ids=lambda case: case["id"])
def test_values_equal_the_recorded_ones_of_pytrec_eval(case):
    for query, expected in case["expected"]["pytrec_eval_per_query"].items():
        ranking = rank_by_score(case["run"][query])
        for name in TREC_METRICS:
            value = ranking_value(name, ranking, case["qrels"][query])
            assert value == pytest.approx(expected[trec_name(name)], abs=1e-9), name
        for k in CUTS:
            value = ranking_value("map", ranking, case["qrels"][query], k)
            assert value == pytest.approx(expected[f"map_cut_{k}"], abs=1e-9)


@given(GRADES, RUNS)
def test_values_equal_pytrec_eval_on_random_queries_with_equal_scores_and_no_results(grades, run):
    measures = {"map", "recip_rank", "ndcg_cut.1,3,5,10", "recall.1,3,5,10", "P.1,3,5,10"}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": grades}, measures | {"success"})
    expected = evaluator.evaluate({"q": run})["q"]
    ranking = rank_by_score(run)
    for name in TREC_METRICS:
        value = ranking_value(name, ranking, grades)
        assert value == pytest.approx(expected[trec_name(name)], abs=1e-12), name


def test_graded_relevance_has_linear_gain_and_an_ideal_over_all_relevant():
    relevance = {"a": 3, "b": 1}
    assert ranking_value("ndcg@1", ["b", "a"], relevance) == pytest.approx(1 / 3)
    assert ranking_value("ndcg@10", ["a"], relevance) == pytest.approx(
        3 / (3 + 1 / 1.584962500721156)
    )


def test_a_judged_query_without_results_or_without_relevant_documents_scores_0():
    names = ("map", "mrr", "ndcg@10", "recall@10", "precision@10", "hit@10")
    assert {score.value for score in score_ranking([], {"a": 1}, names)} == {0}
    assert {score.value for score in score_ranking(["a"], {"a": 0}, names)} == {0}


def test_a_query_that_nobody_judged_has_no_value():
    (score,) = score_ranking(["a"], {}, ("map",))
    assert (score.value, score.state) == (None, ScoreState.NA)


def test_an_id_that_comes_again_keeps_its_rank_and_finds_nothing():
    assert ranking_value("map", ["a", "a", "b"], {"a": 1, "b": 1}) == pytest.approx((1 + 2 / 3) / 2)
    assert ranking_value("precision@2", ["a", "a"], {"a": 1}) == 0.5
    assert ranking_value("ndcg@2", ["a", "a"], {"a": 1}) == 1


def test_k_cuts_the_list_for_map_and_mrr():
    found = score_ranking(["x", "y", "a"], {"a": 1}, ("map", "mrr"), k=2)
    assert [score.value for score in found] == [0, 0]


@given(st.lists(IDS, max_size=20), GRADES)
def test_values_lie_in_0_to_1_and_recall_and_hit_grow_with_k(retrieved, grades):
    for name in TREC_METRICS:
        assert 0 <= ranking_value(name, retrieved, grades) <= 1 + 1e-12
    for base in ("recall", "hit"):
        values = [ranking_value(f"{base}@{k}", retrieved, grades) for k in CUTS]
        assert values == sorted(values)


@given(GRADES)
def test_the_ideal_order_reaches_1(grades):
    relevant = {document: grade for document, grade in grades.items() if grade > 0}
    ideal = rank_by_score(relevant)
    for name in ("map", "mrr", "ndcg@5", "recall@12", "hit@1"):
        assert ranking_value(name, ideal, grades) == pytest.approx(float(bool(relevant)))
