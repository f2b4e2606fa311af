"""A judge that only repeats its noise has not drifted; one that changed has."""

from __future__ import annotations

import numpy as np
import pytest

from engine.statistics.drift import judge_drift


def reruns(rng: np.random.Generator, verdict: np.ndarray, noise: float, k: int = 3) -> np.ndarray:
    flips = rng.random((len(verdict), k)) < noise
    return np.where(flips, 1 - verdict[:, None], verdict[:, None])


def test_by_hand() -> None:
    before = np.array([[0, 0], [0, 1]] * 3)
    after = np.array([[1, 1], [0, 1]] * 3)
    found = judge_drift(before, after, np.arange(6))
    assert (found.answers, found.across, found.within) == (6, 0.75, 0.5)
    assert found.excess.low is not None
    assert found.excess.high is not None
    assert (found.excess.low + found.excess.high) / 2 == pytest.approx(0.25)


@pytest.mark.parametrize("noise", [0.002, 0.01, 0.03, 0.2])
def test_an_unchanged_judge_seldom_raises_an_alarm(noise: float) -> None:
    alarms = 0
    for repetition in range(200):
        rng = np.random.default_rng(repetition)
        verdict = rng.integers(0, 2, 120)
        found = judge_drift(
            reruns(rng, verdict, noise), reruns(rng, verdict, noise), np.arange(120)
        )
        assert found.excess.p is not None
        assert found.excess.low is not None
        alarms += found.excess.p < 0.05
        assert (found.excess.p < 0.05) == (found.excess.low > 0 or (found.excess.high or 0) < 0)
    assert alarms / 200 <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5


def test_a_changed_judge_is_found_though_it_is_as_often_right() -> None:
    rng = np.random.default_rng(1)
    verdict = rng.integers(0, 2, 120)
    other = np.where(rng.random(120) < 0.15, 1 - verdict, verdict)
    found = judge_drift(reruns(rng, verdict, 0.02), reruns(rng, other, 0.02), np.arange(120))
    assert found.excess.low is not None
    assert found.excess.low > 0.04


def test_one_rerun_cannot_tell_and_few_groups_cannot_either() -> None:
    once = np.zeros((20, 1), dtype=np.int64)
    assert judge_drift(once, once, np.arange(20)).excess.state == "undefined"
    twice = np.zeros((20, 2), dtype=np.int64)
    few = judge_drift(twice, twice, np.zeros(20, dtype=np.int64))
    assert few.excess.reason == "too few groups for an interval: 1"
    alike = judge_drift(twice, twice, np.arange(20))
    assert alike.excess.half is not None
    assert alike.excess.half > 0
