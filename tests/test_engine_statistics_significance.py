"""The tests give scipy's p values and Holm's adjustment keeps its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from engine.statistics.significance import (
    EXACT_GROUPS,
    _tail_p,
    holm,
    least_p,
    mcnemar_p,
    sign_flip_p,
)


def total(sums, axis):
    return sums.sum(axis=axis)


@pytest.mark.parametrize("groups", [2, 5, 6, 9, 13])
@pytest.mark.parametrize("stepped", [False, True])
def test_few_groups_give_scipys_exact_p(groups, stepped):
    random = np.random.default_rng(groups)
    sums = random.normal(0.4, 1.0, size=groups)
    if stepped:
        sums = np.where(sums > 0, 1.0, -1.0)
    theirs = stats.permutation_test(
        (sums,), total, permutation_type="samples", vectorized=True, n_resamples=np.inf
    )
    np.testing.assert_allclose(sign_flip_p(sums, 0, 99), theirs.pvalue)


@pytest.mark.parametrize("groups", [EXACT_GROUPS + 1, 41, 300])
@pytest.mark.parametrize("shift", [0.0, 0.15, 0.3])
def test_many_groups_give_scipys_p_within_monte_carlo_error(groups, shift):
    sums = np.random.default_rng(groups).normal(shift, 1.0, size=groups)
    resamples = 9_999
    theirs = stats.permutation_test(
        (sums,),
        total,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=1000,
        rng=np.random.default_rng(1),
    ).pvalue
    error = np.sqrt(2 * max(theirs * (1 - theirs), 1e-4) / resamples)
    assert abs(sign_flip_p(sums, 0, resamples) - theirs) < 4 * error


@pytest.mark.parametrize("groups", [EXACT_GROUPS, EXACT_GROUPS + 1, 40, 200])
def test_a_p_far_in_the_tail_is_that_of_the_binomial_distribution(groups):
    """33 runs on 40 items: .0001 was the least, and 528 pairs asked for less."""
    for losses in (0, groups // 10):
        sums = np.where(np.arange(groups) < losses, -1.0, 1.0)
        exact = 2 * stats.binom.cdf(losses, groups, 0.5)
        rough = 1e-9 if groups == EXACT_GROUPS else 0.1
        np.testing.assert_allclose(sign_flip_p(sums, 0, 9_999), exact, rtol=rough)


def test_a_p_far_in_the_tail_of_real_values_is_that_of_all_patterns():
    sums = np.random.default_rng(5).normal(1.0, 1.0, size=EXACT_GROUPS)
    exact = sign_flip_p(sums, 0, 99)
    assert exact < 1e-3
    extreme = abs(sums.sum())
    tails = [_tail_p(np.abs(sums), extreme, seed, 9_999) for seed in range(5)]
    np.testing.assert_allclose(tails, exact, rtol=0.1)


def test_groups_without_a_difference_change_nothing():
    sums = np.array([0.5, 0.25, -0.125, 1.0, 0.75, 0.5])
    assert sign_flip_p(np.append(sums, np.zeros(500)), 0, 99) == sign_flip_p(sums, 0, 99)


def test_identical_runs_have_p_one_and_no_p_is_zero():
    assert sign_flip_p(np.zeros(50), 0, 99) == 1.0
    assert sign_flip_p(np.array([]), 0, 99) == 1.0
    assert sign_flip_p(np.ones(5000), 0, 999) > 0


def test_five_groups_cannot_reach_five_percent_and_six_can():
    assert sign_flip_p(np.ones(5), 0, 99) == 2 / 32
    assert sign_flip_p(np.ones(6), 0, 99) == 2 / 64


def test_negated_differences_have_the_same_p():
    sums = np.random.default_rng(2).normal(0.1, 1.0, size=60)
    assert sign_flip_p(-sums, 3, 999) == sign_flip_p(sums, 3, 999)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_the_exact_binomial_test(wins, losses):
    theirs = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    np.testing.assert_allclose(mcnemar_p(wins, losses), theirs, rtol=1e-9)


def test_the_sign_flip_test_of_ones_is_mcnemars():
    sums = np.array([1.0] * 9 + [-1.0] * 2)
    np.testing.assert_allclose(sign_flip_p(sums, 0, 99), mcnemar_p(9, 2))


def test_holm_gives_the_textbook_figures():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005], [0] * 4), [0.03, 0.06, 0.06, 0.02])
    assert holm([], []) == []
    assert holm([0.7, 0.6], [0, 0]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), max_size=20), st.floats(0.001, 0.5))
def test_holm_rejects_what_its_step_down_procedure_rejects(p_values, level):
    rejected = 0
    for p in sorted(p_values):
        if p * (len(p_values) - rejected) > level:
            break
        rejected += 1
    adjusted = holm(p_values, [0.0] * len(p_values))
    assert sum(p <= level for p in adjusted) == rejected
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))


def test_tests_that_cannot_reject_do_not_burden_those_that_can():
    """Tarone: with four groups no p is below .125, so such cells are never false findings."""
    p_values, least = [least_p(8), *[0.5] * 79], [least_p(8), *[least_p(4)] * 79]
    assert holm(p_values, least)[0] == pytest.approx(2 / 256)
    assert holm(p_values, [0.0] * 80)[0] == pytest.approx(80 * 2 / 256)


def test_eighty_cells_of_ten_groups_can_tell_nothing_and_of_twelve_can():
    assert holm([least_p(10)] * 80, [least_p(10)] * 80)[0] > 0.05
    assert holm([least_p(12)] * 80, [least_p(12)] * 80)[0] < 0.05


def test_the_family_error_stays_within_the_level_where_nothing_differs():
    """80 cells of 2 to 30 groups, of which any number differs; 400 families."""
    random = np.random.default_rng(0)
    false = 0
    for _ in range(400):
        cells = [random.choice([-1.0, 0.0, 1.0], size=random.integers(2, 31)) for _ in range(80)]
        p_values = [sign_flip_p(cell, 0, 999) for cell in cells]
        least = [least_p(np.count_nonzero(cell)) for cell in cells]
        false += min(holm(p_values, least)) <= 0.05
    assert false / 400 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)
