"""Intervals of coefficients: whole groups are drawn, the same ones each time, and they cover."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from threadpoolctl import threadpool_limits

from engine.agreement.intervals import FEWEST_GROUPS, measures
from engine.agreement.measures import STATISTICS

VALUES = (0, 1, 2)


def drawn(units, seed=0, agreeing=0.6):
    random = np.random.default_rng(seed)
    one = random.integers(3, size=units)
    two = np.where(random.random(units) < agreeing, one, random.integers(3, size=units))
    return list(zip(one.tolist(), two.tolist(), strict=True))


def test_the_interval_is_that_of_kappas_of_resampled_groups():
    ratings = drawn(60)
    groups = [at // 2 for at in range(60)]
    found = measures(ratings, VALUES, ["kappa_plain"], groups)["kappa_plain"]
    random = np.random.default_rng(9)
    kappas = []
    for _ in range(999):
        units = [2 * group + at for group in random.integers(30, size=30) for at in (0, 1)]
        kappas.append(cohen_kappa_score(*zip(*(ratings[unit] for unit in units), strict=True)))
    # 30 groups: the ends lie a little farther out than the plain percentiles
    assert found.low == pytest.approx(np.quantile(kappas, 0.02), abs=0.03)
    assert found.high == pytest.approx(np.quantile(kappas, 0.98), abs=0.03)


def test_subjects_that_hang_together_widen_the_interval():
    alone = drawn(20, seed=3)
    fourfold = [unit for unit in alone for _ in range(4)]

    def width(groups):
        found = measures(fourfold, VALUES, ["kappa_plain"], groups)["kappa_plain"]
        return found.high - found.low

    assert width([at // 4 for at in range(80)]) > 1.5 * width(list(range(80)))


def test_every_statistic_has_an_interval_around_it():
    found = measures(drawn(80), VALUES, STATISTICS, list(range(80)))
    for name, one in found.items():
        assert one.low < one.value < one.high, name
    assert found == measures(drawn(80), VALUES, STATISTICS, list(range(80)))
    assert found != measures(drawn(80), VALUES, STATISTICS, list(range(80)), seed=1)


def test_values_stand_without_an_interval_where_there_is_none():
    few = FEWEST_GROUPS - 1
    found = measures(drawn(20), VALUES, ["ac1"], [at % few for at in range(20)])["ac1"]
    assert found.value is not None
    assert (found.low, found.interval_reason) == (None, f"too few groups for an interval: {few}")
    # one subject of ten has the rare value: a third of the resamples have none of it
    rare = [(1, 1)] * 9 + [(0, 0)]
    found = measures(rare, (0, 1), ["kappa_plain", "ac1"], list(range(10)))
    assert found["kappa_plain"].value == 1
    assert "of the resamples" in found["kappa_plain"].interval_reason
    assert found["ac1"].low is not None
    assert measures(drawn(9), VALUES, ["raw"], range(9), resamples=0)["raw"].low is None


def joint(base, agreeing):
    base = np.asarray(base)
    return agreeing * np.diag(base) + (1 - agreeing) * np.outer(base, base)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "name"),
    [
        ((1 / 3, 1 / 3, 1 / 3), "kappa_plain"),
        ((1 / 3, 1 / 3, 1 / 3), "kappa_quadratic"),
        ((0.7, 0.2, 0.1), "kappa_plain"),
        ((0.7, 0.2, 0.1), "kappa_quadratic"),
        ((0.9, 0.1), "kappa_plain"),
    ],
)
def test_the_interval_covers_as_often_as_it_says(base, name):
    """4,000 repetitions at 100 groups; the true kappa of these joint frequencies is .6, weighted
    or not, since what does not agree is spread as by chance."""
    values = tuple(range(len(base)))
    random = np.random.default_rng(20)
    cells = joint(base, 0.6).ravel()
    held = shown = 0
    with threadpool_limits(1):
        for repetition in range(4000):
            codes = random.choice(len(cells), p=cells, size=100)
            ratings = list(zip(*divmod(codes, len(base)), strict=True))
            found = measures(ratings, values, [name], range(100), seed=repetition)[name]
            if found.low is not None:
                shown += 1
                held += found.low <= 0.6 <= found.high
    # with a rare value, a few repetitions have so little of it that no interval is given
    assert shown > 0.99 * 4000
    assert 0.935 <= held / shown <= 0.965, (held, shown)
