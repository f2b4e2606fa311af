"""Replies of model judges: values, n/a, and everything that is neither."""

from __future__ import annotations

import pytest

from engine.judge.model.replies import read_judgement
from engine.metrics.spec import resolve
from store.records import ScoreState

OK, NA = ScoreState.OK, ScoreState.NA
UNPARSED, OUT = ScoreState.UNPARSED, ScoreState.OUT_OF_RANGE


@pytest.mark.parametrize(
    ("metric", "reply", "state", "value"),
    [
        ("accuracy", '{"value": 2}', OK, 2.0),
        ("accuracy", '{"reason": "数字一致", "value": 1}', OK, 1.0),
        ("accuracy", 'Sure:\n```json\n{"value": 0,}\n```', OK, 0.0),
        ("accuracy", '<think>maybe {"value": 0}</think>{"value": 2}', OK, 2.0),
        ("accuracy", '{"value": 2.0}', OK, 2.0),
        ("accuracy", '{"value": "2"}', OK, 2.0),
        ("accuracy", '{"value": "２"}', OK, 2.0),
        ("accuracy", '{"prediction": 1}', OK, 1.0),
        ("accuracy", '{"accuracy": 1}', OK, 1.0),
        ("accuracy", "2", OK, 2.0),
        ("accuracy", '{"value": 2, "prediction": 2}', OK, 2.0),
        ("completeness", '{"value": null}', NA, None),
        ("completeness", '{"value": "N/A"}', NA, None),
        ("completeness", '{"value": -1}', NA, None),
        ("numerical_accuracy", '{"value": "不适用"}', NA, None),
        ("accuracy", '{"value": null}', OUT, None),
        ("hallucination", '{"value": -1}', OUT, None),
        ("hallucination", '{"value": 2}', OUT, None),
        ("accuracy", '{"value": 3}', OUT, None),
        ("accuracy", '{"value": 1.9}', OUT, None),
        ("accuracy", '{"value": 1e400}', OUT, None),
        ("accuracy", '{"value": true}', UNPARSED, None),
        ("accuracy", '{"value": "good"}', UNPARSED, None),
        ("accuracy", '{"value": [2]}', UNPARSED, None),
        ("accuracy", '[{"value": 2}]', UNPARSED, None),
        ("accuracy", "{}", UNPARSED, None),
        ("accuracy", '{"value": 2, "prediction": 1}', UNPARSED, None),
        ("accuracy", '{"value": 1} or rather {"value": 2}', UNPARSED, None),
        ("accuracy", '{"value":', UNPARSED, None),
        ("accuracy", "The answer is quite right.", UNPARSED, None),
        ("accuracy", "", UNPARSED, None),
    ],
)
def test_a_reply_gives_its_value_or_says_why_not(
    metric: str, reply: str, state: ScoreState, value: float | None
) -> None:
    judged = read_judgement(resolve(metric), reply)
    assert (judged.score.metric, judged.score.variant) == (metric, "standard")
    assert (judged.score.state, judged.score.value) == (state, value)
    assert bool(judged.problem) == (state in (UNPARSED, OUT))


def test_a_failed_reply_is_quoted_and_a_good_one_gives_its_reason() -> None:
    assert (
        "begins: The answer"
        in read_judgement(resolve("accuracy"), "The answer is fine.").score.reason
    )
    assert (
        read_judgement(resolve("accuracy"), '{"value": 1, "reason": " a\\n b "}').score.reason
        == "a b"
    )
    cut = read_judgement(resolve("accuracy"), '{"reason": "so', truncated=True)
    assert "cut short" in cut.problem
    assert read_judgement(resolve("accuracy"), '{"value": 2,}').repaired
