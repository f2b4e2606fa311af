"""Replies read as OmniEval's own code reads them, by cases that their code was run on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.judge.model.omnieval import METRICS, read_as_theirs, their_value
from store.records import ScoreState

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data/parity/omnieval_metrics.json").read_text("utf-8")
)["judge_parse"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_reply_has_the_value_that_their_code_gives_it(case: dict[str, Any]) -> None:
    assert their_value(case["metric"], case["raw_judge_output"]) == case["expected_batch"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_what_leaves_their_mean_has_no_value(case: dict[str, Any]) -> None:
    score = read_as_theirs(case["metric"], case["raw_judge_output"])
    assert score.value == (case["expected_batch"] if case["expected_batch"] >= 0 else None)
    assert (score.state is ScoreState.OK) == (score.value is not None)


@pytest.mark.parametrize(
    ("reply", "value", "state"),
    [
        ('{"prediction": 1.9}', 0.5, "ok"),
        ('{"prediction": "1.9"}', None, "unparsed"),
        ('{"prediction": null}', None, "na"),
        ('{"reason": "as asked here", "value": 2}', 1.0, "ok"),
        ('{"prediction": -1}', None, "na"),
        ("2", None, "unparsed"),
        ("{}", None, "unparsed"),
        ('{"rating": 2}', None, "unparsed"),
        ("I cannot say.", None, "unparsed"),
        ('{"prediction": 1e999}', None, "unparsed"),
    ],
)
def test_states_say_what_their_code_does_not(reply: str, value: float | None, state: str) -> None:
    score = read_as_theirs("accuracy", reply)
    assert (score.value, score.state.value) == (value, state)


def test_the_reason_of_a_reply_stands_beside_its_value() -> None:
    score = read_as_theirs("accuracy", '```json\n{"reason": "as\n asked", "value": 2}\n```')
    assert (score.value, score.reason) == (1.0, "as asked")
    assert read_as_theirs("accuracy", '{"prediction": 1}').reason == ""


def test_numerical_accuracy_needs_no_number() -> None:
    needs = {spec.name: spec.needs for spec in METRICS}
    assert needs["numerical_accuracy"] == ("golden_answer",)
    assert needs["utilization"] == ("golden_answer", "retrieved")
