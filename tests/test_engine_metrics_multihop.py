"""The multihop variant gives the means of MultiHop-RAG's released evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.metrics.multihop import score_texts
from engine.metrics.spec import metric_names, resolve
from store.records import ScoreState

ORACLE = json.loads(
    (Path(__file__).parent / "data/parity/multihop_rag_retrieval.json").read_text("utf-8")
)["cases"]
REPORTED = {"Hits@10": "hit@10", "Hits@4": "hit@4", "MAP@10": "map@10", "MRR@10": "mrr@10"}


@pytest.mark.parametrize("case", ORACLE, ids=lambda case: case["id"])
def test_means_equal_the_reference(case: dict[str, Any]) -> None:
    queries = [
        score_texts(retrieved, gold, REPORTED.values())
        for retrieved, gold in zip(case["retrieved_lists"], case["gold_lists"], strict=True)
    ]
    means = {}
    for at, name in enumerate(REPORTED):
        values = [query[at].value for query in queries]
        means[name] = sum(value for value in values if value is not None) / len(values)
    assert means == case["expected"]


def test_blanks_do_not_matter_and_a_fact_of_unknown_words_is_never_found() -> None:
    texts = ["nothing", "Profit rose\nby 3 %.", "利润 增长3%"]
    first, chinese = (score_texts(texts, (fact, None), ("mrr@3", "map@3")) for fact in FACTS)
    assert [score.value for score in first] == [1 / 2, 1 / 2 / 2]
    assert [score.value for score in chinese] == [1 / 3, 1 / 3 / 2]


FACTS = ("Profit rose by 3%.", "利润增长3%")


def test_a_query_without_facts_has_no_value() -> None:
    (score,) = score_texts(["text"], (), ("map@10",))
    assert (score.value, score.state) == (None, ScoreState.NA)


def test_every_metric_of_the_variant_has_a_value() -> None:
    names = metric_names("multihop")
    scores = score_texts(["fact"], ("fact",), names)
    assert [(score.metric, score.value) for score in scores] == [(name, 1.0) for name in names]
    assert resolve("map@10", "multihop").maximum is None
