"""Tests of a paired difference, and Holm's adjustment of their p-values."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT_GROUPS = 12
"""Up to so many groups that differ, every sign pattern is tried."""
TIE = 1e-9
"""Values as near as this are equal: means of repeats are not exact in binary."""

_BLOCK = 8  # signs in a random byte
_ROUNDING = 1e-12  # of sums in another order, relative to the sum of all magnitudes


def sign_flip_p(sums: NDArray[np.float64], seed: int, resamples: int) -> float:
    """Two-sided p-value of the hypothesis that the labels a and b of the runs are exchangeable.

    `sums` holds the summed difference of each group; under the hypothesis its sign is a coin toss.
    p is the share of sign patterns whose total is at least as large in magnitude as the observed
    one: of all patterns with at most `EXACT_GROUPS` groups that differ (the others change no
    total), else of `resamples` random patterns and the observed one, so that p is never 0 (Phipson
    and Smyth 2010). It is 1 without any difference. The level holds for exchangeable runs, whatever
    the distribution of the values.
    """
    differing = sums[np.abs(sums) > TIE]
    if len(differing) == 0:
        return 1.0
    extreme = abs(differing.sum()) - _ROUNDING * np.abs(differing).sum()
    if len(differing) <= EXACT_GROUPS:
        return float(np.mean(np.abs(_signs(len(differing)) @ differing) >= extreme))
    as_extreme = np.count_nonzero(np.abs(_random_totals(differing, seed, resamples)) >= extreme)
    return (1 + int(as_extreme)) / (1 + resamples)


def mcnemar_p(wins: int, losses: int) -> float:
    """Exact two-sided McNemar test: wins are binomial(wins + losses, 1/2); 1 when both are 0.

    The items must be independent of each other.
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def holm(p_values: list[float]) -> list[float]:
    """Holm's step-down adjustment, in the order given: each may be compared with the level itself.

    The i-th smallest of m becomes the largest of (m - j + 1) * p_j over j <= i, at most 1. The
    chance of any false positive stays within the level, however the tests depend on each other.
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, (len(p_values) - rank) * p_values[place])
        adjusted[place] = min(1.0, largest)
    return adjusted


def _random_totals(sums: NDArray[np.float64], seed: int, resamples: int) -> NDArray[np.float64]:
    """Totals under random signs: eight groups at a time, their 256 totals looked up by a byte."""
    random = np.random.default_rng(seed)
    blocks = np.pad(sums, (0, -len(sums) % _BLOCK)).reshape(-1, _BLOCK)
    totals = np.zeros(resamples)
    for block_totals in blocks @ _signs(_BLOCK).T:
        totals += block_totals[random.integers(256, size=resamples, dtype=np.uint8)]
    return totals


@cache
def _signs(n: int) -> NDArray[np.float64]:
    """All patterns of n signs, one a row."""
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return np.where(bits == 1, -1.0, 1.0)
