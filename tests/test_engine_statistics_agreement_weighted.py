"""Agreement of a judge with people from labels of unequal weight."""

from __future__ import annotations

import numpy as np
import pytest

from engine.statistics.agreement.intervals import measures
from engine.statistics.agreement.weighted import WEIGHTED, weighted_measures

PAIRS = [(0, 0), (0, 1), (1, 1), (1, 1), (2, 2), (2, 1), (2, 2), (0, 0)]
GROUPS = [f"g{at}" for at in range(len(PAIRS))]


@pytest.mark.parametrize("name", WEIGHTED)
def test_equal_weights_give_the_unweighted_figure(name: str) -> None:
    found = weighted_measures(PAIRS, [0, 1, 2], [name], GROUPS, [3.0] * len(PAIRS))[name]
    plain = measures([list(pair) for pair in PAIRS], [0, 1, 2], [name], GROUPS, resamples=0)[name]
    assert found.value == pytest.approx(plain.value)
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert found.low < found.value < found.high


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_whole_weight_is_so_many_equal_labels(name: str) -> None:
    times = [1, 2, 3, 1, 1, 2, 1, 4]
    found = weighted_measures(PAIRS, [0, 1, 2], [name], GROUPS, [float(one) for one in times])[name]
    copies = [list(pair) for pair, n in zip(PAIRS, times, strict=True) for _ in range(n)]
    plain = measures(copies, [0, 1, 2], [name], range(len(copies)), resamples=0)[name]
    assert found.value == pytest.approx(plain.value)


def test_what_has_no_interval_says_why() -> None:
    few = weighted_measures(PAIRS[:4], [0, 1, 2], ["raw"], GROUPS[:4], [1.0] * 4)["raw"]
    assert few.interval_reason == "too few groups for an interval: 4"
    alike = weighted_measures([(1, 1)] * 8, [0, 1], ["raw", "kappa_plain"], GROUPS, [2.0] * 8)
    assert alike["raw"].interval_reason == "no interval: nothing varies"
    assert alike["kappa_plain"].value is None
    assert "chance would agree" in alike["kappa_plain"].reason
    with pytest.raises(ValueError, match="not computed with weights"):
        weighted_measures(PAIRS, [0, 1, 2], ["alpha_nominal"], GROUPS, [1.0] * 8)


def test_labels_of_hard_answers_do_not_make_the_judge_look_worse() -> None:
    """Hard answers, on which the judge errs more, drawn four times as often."""
    held = {"raw": 0, "kappa_plain": 0, "ac1": 0}
    plain = 0.0
    for repetition in range(120):
        rng = np.random.default_rng(repetition)
        hard = rng.random(1000) < 0.3
        people = (rng.random(1000) < 0.6).astype(int)
        judge = np.where(rng.random(1000) < np.where(hard, 0.4, 0.05), 1 - people, people)
        chance = 100 * np.where(hard, 4.0, 1.0) / np.where(hard, 4.0, 1.0).sum()
        at = np.flatnonzero(rng.random(1000) < chance)
        pairs = list(zip(people[at].tolist(), judge[at].tolist(), strict=True))
        groups = [str(one) for one in at]
        found = weighted_measures(pairs, [0, 1], held, groups, list(1 / chance[at]))
        whole = list(zip(people.tolist(), judge.tolist(), strict=True))
        true = weighted_measures(whole, [0, 1], held, range(1000), [1.0] * 1000)
        plain += np.mean([a == b for a, b in pairs]) / 120
        for name in held:
            one, truth = found[name], true[name].value
            assert one.low is not None
            assert one.high is not None
            assert truth is not None
            held[name] += one.low <= truth <= one.high
    assert plain < 0.8  # of .845
    for name, hits in held.items():
        assert hits / 120 >= 0.93 - 2 * (0.93 * 0.07 / 120) ** 0.5, name
