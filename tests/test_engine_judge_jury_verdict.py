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
