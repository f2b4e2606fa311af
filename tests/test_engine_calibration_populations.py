"""What the estimators read of a run: weights by the draw, or whole groups where those came."""

from __future__ import annotations

import numpy as np
import pytest

from engine.calibration.calibration_records import Grade, Truth
from engine.calibration.populations import Design, hull, population
from engine.statistics.inference import Interval
from store.runs.judged_answers import RunAnswer


def answers(groups: str) -> list[RunAnswer]:
    return [RunAnswer(at, f"q{at}", 0, group, "t", "k") for at, group in enumerate(groups)]


def labels(values: dict[int, Grade]) -> list[Truth]:
    return [Truth(at, 1, "accuracy", value, "single", "", "t", "k") for at, value in values.items()]


def test_values_come_on_the_unit_scale_and_nothing_is_dropped() -> None:
    found = population(
        answers("aabc"), "accuracy", {0: 2.0, 2: 1.0}, labels({2: 1, 0: "na"}), Design()
    )
    assert found is not None
    assert np.array_equal(found.judge, [1, np.nan, 0.5, np.nan], equal_nan=True)
    assert found.groups.tolist() == [0, 0, 1, 2]
    assert found.labels.at.tolist() == [0, 2]
    assert np.array_equal(found.labels.values, [np.nan, 0.5], equal_nan=True)
    assert population(answers("ab"), "accuracy", {0: 1.0}, [], Design()) is None
    assert population(answers("ab"), "accuracy", {}, labels({0: 1}), Design()) is None


@pytest.mark.parametrize(
    ("labelled", "sample", "whole"),
    [
        ((0, 1), "", True),
        ((0, 1, 4), "", True),
        ((0, 2), "", False),
        ((4, 5), "", False),
        ((0, 1, 2, 3, 4, 5), "", False),
        ((0, 1), "pilot", False),
    ],
)
def test_groups_were_drawn_where_whole_ones_are_labelled(
    labelled: tuple[int, ...], sample: str, whole: bool
) -> None:
    found = population(
        answers("aabbcd"), "accuracy", {0: 1.0}, labels(dict.fromkeys(labelled, 1)), Design(sample)
    )
    assert found is not None
    assert found.labels.whole_groups == whole


def test_quotas_and_chances_weigh() -> None:
    places = {at: ("k", "t", "hard" if at < 2 else "easy") for at in range(6)}
    quotas = population(
        answers("abcdef"),
        "accuracy",
        {0: 1.0},
        labels({0: 1, 2: 1}),
        Design("s", places),
    )
    assert quotas is not None
    assert quotas.labels.weights == pytest.approx([2 / 6, 4 / 6])
    chances = population(
        answers("abcdef"),
        "accuracy",
        {0: 1.0},
        labels({0: 1, 2: 1, 5: 1}),
        Design("s", batches=({0: 0.5, 2: 0.25},)),
    )
    assert chances is not None
    # nobody drew 5
    assert chances.labels.at.tolist() == [0, 2]
    assert chances.labels.weights == pytest.approx([2, 4])
    assert chances.labels.spread == pytest.approx([0.5 / 0.25, 0.75 / 0.0625])


def test_a_hull_reaches_as_far_as_any() -> None:
    ends = [Interval("run", "ok", 0.2, 0.4), Interval("run", "ok", 0.1, 0.3)]
    assert hull([*ends, Interval("run", "too few")]) == (0.1, 0.4)
    assert hull([Interval("run", "too few")]) is None
