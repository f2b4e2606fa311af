"""What a jury makes of its members' scores."""

from __future__ import annotations

import pytest

from engine.judge.jury.verdict import verdict
from store.records import MetricScore, ScoreState

NA, ERROR, UNPARSED = ScoreState.NA, ScoreState.ERROR, ScoreState.UNPARSED


@pytest.mark.parametrize(
    ("said", "quorum", "state", "value"),
    [
        ((0, 1, 2), 2, ScoreState.OK, 1),
        ((2, 2, 0), 2, ScoreState.OK, 2),
        ((0, 1, 2, 2), 3, ScoreState.OK, 1),
        ((0, 2), 2, ScoreState.OK, 0),
        ((NA, NA, 2), 2, NA, None),
        ((NA, 2, 1), 2, ScoreState.OK, 1),
        ((NA, 2), 2, ScoreState.OK, 2),
        ((NA, NA, ERROR), 2, NA, None),
        ((2, ERROR, UNPARSED), 2, ERROR, None),
        ((2, ERROR, UNPARSED), 1, ScoreState.OK, 2),
        ((ERROR, ERROR, UNPARSED), 1, ERROR, None),
    ],
)
def test_the_median_of_those_who_say_something(
    said: tuple[float | ScoreState, ...],
    quorum: int,
    state: ScoreState,
    value: float | None,
) -> None:
    scores = {
        f"judge{number}": (
            MetricScore("accuracy", "standard", None, one)
            if isinstance(one, ScoreState)
            else MetricScore("accuracy", "standard", float(one))
        )
        for number, one in enumerate(said)
    }
    found = verdict("accuracy", scores, quorum)
    assert (found.state, found.value) == (state, value)


@pytest.mark.parametrize(
    ("lang", "reasons"),
    [
        ("en", ("median of 1; n/a by 1", "no quorum: 1 of 2 gave a value, not 2 (b: error)")),
        (
            "zh",
            (
                "1的中位数；1个认为不适用",
                "未达法定人数：1个成员说了分值（共2个），应有2个（b: error）",
            ),
        ),
    ],
)
def test_reasons_are_in_the_language_of_the_item(lang: str, reasons: tuple[str, str]) -> None:
    one = MetricScore("accuracy", "standard", 1.0)
    for state, reason in zip((NA, ERROR), reasons, strict=True):
        other = MetricScore("accuracy", "standard", None, state)
        assert verdict("accuracy", {"a": one, "b": other}, 2, lang).reason == reason
