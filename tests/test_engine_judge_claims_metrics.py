"""The formulas of claims agree with RAGChecker's own code, and say when there is nothing to count.

The parity cases are from `ragchecker/computation.py` of amazon-science/RAGChecker at 6091f08.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.judge.claims.metrics import METRICS, RAGCHECKER, NoValue, Verdicts

CASES = json.loads(
    (Path(__file__).parent / "data/parity/claims_ragchecker.json").read_text("utf-8")
)["claims_ragchecker"]

THEIRS = {
    "claim_precision": "precision",
    "claim_recall": "recall",
    "claim_f1": "f1",
    "context_precision": "context_precision",
    "claim_context_recall": "claim_recall",
    "context_utilization": "context_utilization",
    "faithfulness": "faithfulness",
    "claim_hallucination": "hallucination",
    "self_knowledge": "self_knowledge",
    "noise_sensitivity_relevant": "noise_sensitivity_in_relevant",
    "noise_sensitivity_irrelevant": "noise_sensitivity_in_irrelevant",
}
"""Our name of a metric, to theirs."""


def entailed(verdicts: Any) -> Any:
    if isinstance(verdicts, str):
        return verdicts == "Entailment"
    return [entailed(one) for one in verdicts]


def verdicts_of(case: dict[str, Any]) -> Verdicts:
    return Verdicts(
        answer=entailed(case["answer2response"]),
        golden=entailed(case["response2answer"]),
        answer_in=entailed(case["retrieved2response"]),
        golden_in=entailed(case["retrieved2answer"]),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_case_of_their_code_has_its_values(case: dict[str, Any]) -> None:
    said = verdicts_of(case)
    values = {theirs: METRICS[ours].value(said) for ours, theirs in THEIRS.items()}
    assert values == pytest.approx(case["expected"], abs=1e-12)
    assert METRICS["fscore_c"].value(said) == pytest.approx(case["expected"]["f1"])


def test_all_of_theirs_are_given_and_each_is_counted_from_its_parts_alone() -> None:
    assert set(RAGCHECKER) == set(THEIRS)
    said = verdicts_of(CASES[0])
    for metric in METRICS.values():
        if metric.spec.name != "recall_kp":
            parts = {part: getattr(said, part) for part in metric.parts}
            assert metric.value(Verdicts(**parts)) == metric.value(said)


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ("claim_precision", "the answer claims nothing"),
        ("faithfulness", "the answer claims nothing"),
        ("claim_hallucination", "the answer claims nothing"),
        ("self_knowledge", "the answer claims nothing"),
        ("noise_sensitivity_relevant", "the golden answer claims nothing"),
        ("claim_recall", "the golden answer claims nothing"),
        ("claim_f1", "the golden answer claims nothing"),
        ("context_precision", "the golden answer claims nothing"),
        ("claim_context_recall", "the golden answer claims nothing"),
        ("context_utilization", "the golden answer claims nothing"),
        ("recall_kp", "the item has no keypoints"),
    ],
)
def test_where_there_is_nothing_to_count_the_metric_says_so(metric: str, reason: str) -> None:
    with pytest.raises(NoValue, match=reason):
        METRICS[metric].value(Verdicts())


def test_an_answer_without_claims_recalls_nothing() -> None:
    silent = Verdicts(golden=[False, False], golden_in=[[True], [False]])
    assert [METRICS[name].value(silent) for name in ("claim_recall", "claim_f1", "fscore_c")] == [
        0.0,
        0.0,
        0.0,
    ]
    assert METRICS["context_utilization"].value(silent) == 0.0
    assert METRICS["fscore_c"].value(Verdicts(answer=[True])) == 0.0


def test_where_nothing_was_retrieved_no_claim_is_in_a_passage() -> None:
    said = Verdicts(answer=[True, False], golden=[True], answer_in=[[], []], golden_in=[[]])
    with pytest.raises(NoValue, match="nothing was retrieved"):
        METRICS["context_precision"].value(said)
    values = {name: METRICS[name].value(said) for name in RAGCHECKER if name != "context_precision"}
    assert values == {
        "claim_precision": 0.5,
        "claim_recall": 1.0,
        "claim_f1": pytest.approx(2 / 3),
        "claim_context_recall": 0.0,
        "context_utilization": 0.0,
        "faithfulness": 0.0,
        "claim_hallucination": 0.5,
        "self_knowledge": 0.5,
        "noise_sensitivity_relevant": 0.0,
        "noise_sensitivity_irrelevant": 0.0,
    }


def test_keypoints_are_counted_as_conveyed() -> None:
    assert METRICS["recall_kp"].value(Verdicts(keypoints=[True, False, True, True])) == 0.75
