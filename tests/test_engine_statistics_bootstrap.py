"""The interval is scipy's percentile bootstrap, taken further out for few groups."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from engine.statistics.bootstrap import expanded_tail, interval, resampled_means


def unequal_groups(groups, seed):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 6, size=groups).astype(float)
    return random.normal(0.1, 0.5, size=groups) * sizes, sizes


@pytest.mark.parametrize("groups", [8, 30, 200])
def test_the_interval_is_close_to_scipys_at_the_expanded_level(groups):
    sums, sizes = unequal_groups(groups, groups)
    ours = interval(resampled_means(sums[:, None], sizes, 0, 20_000)[:, 0], groups, 0.05)
    theirs = stats.bootstrap(
        (sums, sizes),
        lambda sums, sizes, axis: sums.sum(axis=axis) / sizes.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=20_000,
        confidence_level=1 - 2 * expanded_tail(groups, 0.05),
        rng=np.random.default_rng(1),
    )
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    np.testing.assert_allclose(ours, theirs.confidence_interval, atol=0.04 * width)
    spread = resampled_means(sums[:, None], sizes, 0, 20_000)[:, 0].std(ddof=1)
    np.testing.assert_allclose(spread, theirs.standard_error, rtol=0.03)


def test_the_expansion_is_that_of_students_t_and_vanishes_with_many_groups():
    for groups in (2, 6, 20):
        t = stats.t.ppf(0.025, groups - 1) * (groups / (groups - 1)) ** 0.5
        np.testing.assert_allclose(expanded_tail(groups, 0.05), stats.norm.cdf(t))
    np.testing.assert_allclose(expanded_tail(1_000_000, 0.05), 0.025, rtol=1e-4)


def test_the_columns_of_a_resample_come_from_one_draw():
    sums, sizes = unequal_groups(40, 3)
    means = resampled_means(np.column_stack([sums, sums + sizes]), sizes, 0, 500)
    np.testing.assert_allclose(means[:, 1] - means[:, 0], 1.0)


def test_the_interval_of_negated_values_is_the_negated_interval():
    sums, sizes = unequal_groups(40, 4)
    low, high = interval(resampled_means(sums[:, None], sizes, 7, 999)[:, 0], 40, 0.05)
    assert interval(resampled_means(-sums[:, None], sizes, 7, 999)[:, 0], 40, 0.05) == (-high, -low)


def test_a_seed_gives_one_result_and_another_seed_another():
    sums, sizes = unequal_groups(40, 5)
    first, again, other = (resampled_means(sums[:, None], sizes, seed, 99) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_groups_without_spread_have_an_interval_without_width():
    means = resampled_means(np.full((10, 1), 0.25), np.ones(10), 0, 99)
    assert interval(means[:, 0], 10, 0.05) == (0.25, 0.25)
