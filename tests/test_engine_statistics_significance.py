"""The tests give scipy's p values and Holm's adjustment keeps its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from engine.statistics.significance import EXACT_GROUPS, holm, mcnemar_p, sign_flip_p


def total(sums, axis):
    return sums.sum(axis=axis)


@pytest.mark.parametrize("groups", [2, 5, 6, 9, EXACT_GROUPS])
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


def test_groups_without_a_difference_change_nothing():
    sums = np.array([0.5, 0.25, -0.125, 1.0, 0.75, 0.5])
    assert sign_flip_p(np.append(sums, np.zeros(500)), 0, 99) == sign_flip_p(sums, 0, 99)


def test_identical_runs_have_p_one_and_no_p_is_zero():
    assert sign_flip_p(np.zeros(50), 0, 99) == 1.0
    assert sign_flip_p(np.array([]), 0, 99) == 1.0
    assert sign_flip_p(np.ones(50), 0, 999) == 1 / 1000


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
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.7, 0.6]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), max_size=20), st.floats(0.001, 0.5))
def test_holm_rejects_what_its_step_down_procedure_rejects(p_values, level):
    rejected = 0
    for p in sorted(p_values):
        if p * (len(p_values) - rejected) > level:
            break
        rejected += 1
    adjusted = holm(p_values)
    assert sum(p <= level for p in adjusted) == rejected
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
