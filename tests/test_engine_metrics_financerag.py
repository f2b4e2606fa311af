"""The financerag variant gives the means of FinanceRAG's released evaluation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.metrics.financerag import evaluate, score_ranking
from store.records import ScoreState

ORACLE = json.loads(
    (Path(__file__).parent / "data/parity/crud_ranking_claims.json").read_text("utf-8")
)["retrieval"]


@pytest.mark.parametrize("case", ORACLE, ids=lambda case: case["id"])
def test_means_equal_the_reference(case):
    found = evaluate(case["qrels"], case["run"], (1, 3, 5, 10))
    assert found == case["expected"]["financerag_evaluate"]


def test_a_document_with_the_query_s_own_id_is_dropped_unless_told_otherwise():
    qrels, run = {"q": {"d": 1}}, {"q": {"q": 2.0, "d": 1.0}}
    assert evaluate(qrels, run, (1,))["P@1"] == 1
    assert evaluate(qrels, run, (1,), ignore_identical_ids=False)["P@1"] == 0
    (score,) = score_ranking(["q", "d"], {"d": 1}, ("precision@1",), query_id="q")
    assert score.value == 1


def test_a_judged_query_without_a_run_is_left_out_and_one_with_an_empty_run_is_0():
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}}
    assert evaluate(qrels, {"q1": {"d": 1.0}}, (1,))["MAP@1"] == 1
    assert evaluate(qrels, {"q1": {"d": 1.0}, "q2": {}}, (1,))["MAP@1"] == 0.5
    with pytest.raises(ValueError, match="no judged query"):
        evaluate(qrels, {"q3": {"d": 1.0}}, (1,))


def test_scores_are_compared_in_single_precision_as_trec_eval_does():
    assert evaluate({"q": {"a": 1}}, {"q": {"a": 1.0 + 1e-9, "b": 1.0}}, (1,))["P@1"] == 0


def test_a_query_that_nobody_judged_has_no_value():
    (score,) = score_ranking(["a"], {}, ("map",))
    assert (score.value, score.state) == (None, ScoreState.NA)
