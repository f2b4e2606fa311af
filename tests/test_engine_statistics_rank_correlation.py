"""Spearman's rho against scipy, with intervals over groups."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from engine.statistics.rank_correlation import rank_correlation


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_rho_is_that_of_scipy_ties_included(pairs: list[tuple[int, int]]) -> None:
    first, second = ([float(pair[at]) for pair in pairs] for at in (0, 1))
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    found = rank_correlation(first, second, [str(at) for at in range(len(pairs))])
    assert found.rho == pytest.approx(spearmanr(first, second).statistic)


def test_the_interval_holds_rho_and_is_the_same_again() -> None:
    first = [float(at % 7) for at in range(60)]
    second = [value + at % 5 for at, value in enumerate(first)]
    groups = [str(at // 2) for at in range(60)]
    found = rank_correlation(first, second, groups)
    assert found.rho is not None
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low < found.rho < found.high <= 1
    assert (found.n, found.groups) == (60, 30)
    assert rank_correlation(first, second, groups) == found


def test_one_side_all_equal_has_no_rho_and_few_groups_no_interval() -> None:
    assert rank_correlation([1, 1, 1], [1, 2, 3], ["a", "b", "c"]).rho is None
    few = rank_correlation([1, 2, 3], [1, 2, 3], ["a", "b", "c"])
    assert (few.rho, few.low) == (pytest.approx(1), None)
    assert rank_correlation([], [], []).rho is None
