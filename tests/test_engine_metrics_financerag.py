"""The financerag variant gives the means of FinanceRAG's released evaluation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from trec_ranking import rank_by_score, single

from engine.metrics.financerag import score_ranking
from store.records import ScoreState

ORACLE = json.loads(
    (Path(__file__).parent / "data/parity/crud_ranking_claims.json").read_text("utf-8")
)["retrieval"]


REPORTED = {"NDCG": "ndcg", "MAP": "map", "Recall": "recall", "P": "precision"}


def mean(case, name: str, k: int) -> float:
    """The mean over the judged queries of a run, to 5 places as they report it."""
    queries = [query for query in case["run"] if case["qrels"].get(query)]
    metric, cut = ("map", k) if name == "map" else (f"{name}@{k}", None)
    total = 0.0
    for query in queries:
        ranking = rank_by_score({id: single(score) for id, score in case["run"][query].items()})
        (score,) = score_ranking(ranking, case["qrels"][query], (metric,), cut, query)
        assert score.value is not None
        total += score.value
    return round(total / len(queries), 5)


@pytest.mark.parametrize("case", ORACLE, ids=lambda case: case["id"])
def test_means_equal_the_reference(case):
    means = {
        f"{label}@{k}": mean(case, name, k)
        for label, name in REPORTED.items()
        for k in (1, 3, 5, 10)
    }
    assert means == case["expected"]["financerag_evaluate"]


def test_a_document_with_the_query_s_own_id_is_dropped():
    (score,) = score_ranking(["q", "d"], {"d": 1}, ("precision@1",), query_id="q")
    assert score.value == 1


def test_a_query_that_nobody_judged_has_no_value():
    (score,) = score_ranking(["a"], {}, ("map",))
    assert (score.value, score.state) == (None, ScoreState.NA)
