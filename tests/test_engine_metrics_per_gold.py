"""Reciprocal ranks of every relevant document, beside hand-computed values."""

from __future__ import annotations

import pytest

from engine.metrics import ranking
from engine.metrics.per_gold import score_ranking
from store.records import ScoreState

RELEVANCE = {"a": 0.0, "b": 1.0, "c": 2.0, "missed": 1.0}


@pytest.mark.parametrize(
    ("metric", "k", "expected"),
    [
        ("mrr", None, (1 / 2 + 1 / 3) / 3),
        ("mrr", 2, (1 / 2) / 3),
        ("mrr@2", None, (1 / 2) / 3),
        ("mrr@1", None, 0.0),
    ],
)
def test_every_relevant_document_adds_its_reciprocal_rank(
    metric: str, k: int | None, expected: float
) -> None:
    (score,) = score_ranking(["a", "b", "c", "b"], RELEVANCE, (metric,), k)
    assert score.value == pytest.approx(expected)


def test_with_one_relevant_document_it_is_the_standard_metric() -> None:
    given = (["a", "b", "c"], {"c": 1.0}, ("mrr",))
    assert score_ranking(*given)[0].value == ranking.score_ranking(*given)[0].value == 1 / 3


def test_without_a_judged_document_it_does_not_apply() -> None:
    assert score_ranking(["a"], {}, ("mrr",))[0].state is ScoreState.NA
    assert score_ranking(["a"], {"a": 0.0}, ("mrr",))[0].value == 0.0
