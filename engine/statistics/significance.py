"""Tests of a paired difference, and Holm's adjustment of their p-values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT_GROUPS = 24
"""Up to so many groups that differ, every sign pattern counts."""
TIE = 1e-9
"""Values as near as this are equal: means of repeats are not exact in binary."""

_BLOCK = 8  # signs in a random byte
_FEW = 100  # random patterns as extreme as this give p with a standard error of a tenth of it
_DRAWS = 2_000_000  # signs drawn for the tail of a test: bounds memory at 16 MB
_FINE = 1e-15  # a p-value with steps as small as this is as good as continuous
_ROUNDING = 1e-12  # of sums in another order, relative to the sum of all magnitudes


def sign_flip_p(sums: NDArray[np.float64], seed: int, resamples: int) -> float:
    """Two-sided p-value of the hypothesis that the labels a and b of the runs are exchangeable.

    `sums` holds the summed difference of each group; under the hypothesis its sign is a coin toss.
    p is the share of sign patterns whose total is at least as large in magnitude as the observed
    one: of all patterns with at most `EXACT_GROUPS` groups that differ (the others change no
    total), else of `resamples` random patterns and the observed one (Phipson and Smyth 2010), and
    where few of these are as extreme, by patterns drawn towards the observed total and weighted.
    So p is never 0, and as small as it must be to hold among many tests. It is 1 without any
    difference. The level holds for exchangeable runs, whatever the distribution of the values.
    """
    differing = sums[np.abs(sums) > TIE]
    extreme = abs(differing.sum()) - _ROUNDING * np.abs(differing).sum()
    if extreme <= 0:
        return 1.0
    if len(differing) <= EXACT_GROUPS:
        return _exact_p(differing, extreme)
    as_extreme = np.count_nonzero(np.abs(_random_totals(differing, seed, resamples)) >= extreme)
    if as_extreme < _FEW:
        return _tail_p(np.abs(differing), extreme, seed, resamples)
    return (1 + int(as_extreme)) / (1 + resamples)


def least_p(differing: int) -> float:
    """The smallest p of the sign-flip test when so many groups differ: two of all patterns."""
    return min(1.0, 2.0 ** (1 - differing))


def _exact_p(sums: NDArray[np.float64], extreme: float) -> float:
    """The share of all patterns whose total is at least `extreme` (above 0) in magnitude.

    Totals of the first half of the groups, sorted, are matched with those of the second."""
    middle = len(sums) // 2
    first = np.sort(_signs(middle) @ sums[:middle])
    second = _signs(len(sums) - middle) @ sums[middle:]
    below = np.searchsorted(first, extreme - second)
    return 2 * float(len(first) * len(second) - below.sum()) / 2.0 ** len(sums)


def _tail_p(sizes: NDArray[np.float64], extreme: float, seed: int, resamples: int) -> float:
    """The share of patterns whose total is at least `extreme` in magnitude, where it is small.

    Importance sampling: a group's sign is drawn as + so often that the expected total is `extreme`
    (exponential tilting), and a pattern counts by how much less likely coin tosses give it. The
    observed pattern counts as one of the draws, which keeps the level (Harrison 2012, "Conservative
    hypothesis tests and confidence intervals using importance sampling", Biometrika 99:1).
    """
    tilt = _tilt(sizes, extreme)
    # log of the mean of exp(tilt * total) over coin tosses: the sum of log cosh
    cumulant = float(np.sum(tilt * sizes + np.log1p(np.exp(-2 * tilt * sizes)) - np.log(2)))
    plus = (1 / (1 + np.exp(-2 * tilt * sizes))).astype(np.float32)
    random = np.random.default_rng(seed)
    number = max(_FEW, min(resamples, _DRAWS // len(sizes)))
    drawn = random.random((number, len(sizes)), dtype=np.float32) < plus
    totals = 2 * (drawn.astype(np.float64) @ sizes) - sizes.sum()
    reached = np.append(totals[totals >= extreme], extreme)
    share = float(np.exp(cumulant - tilt * reached).sum()) / (1 + number)
    return min(1.0, max(2 * share, float(np.finfo(np.float64).tiny)))


def _tilt(sizes: NDArray[np.float64], extreme: float) -> float:
    """The tilt under which the expected total is `extreme`, or as much as it nearly can be."""
    low, high = 0.0, 20 / float(sizes.min())
    for _ in range(60):
        middle = (low + high) / 2
        if float(sizes @ np.tanh(middle * sizes)) < extreme:
            low = middle
        else:
            high = middle
    return high


def mcnemar_p(wins: int, losses: int) -> float:
    """Exact two-sided McNemar test: wins are binomial(wins + losses, 1/2); 1 when both are 0.

    The items must be independent of each other.
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def holm(p_values: Sequence[float], least: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment, in the order given: each may be compared with the level itself.

    `least` are the smallest p-values that the tests could have given, of which all that a test
    can give are multiples: so the chance that a test gives p or less is p rounded down to one,
    which is 0 for a test that cannot reject (Tarone 1990, "A modified Bonferroni method for
    discrete data", Biometrics 46:2). The i-th smallest becomes the largest, over j <= i, of the sum
    of p_j so rounded over the tests from the j-th on, at most 1; with `least` of 0 that is Holm's
    own (m - j + 1) * p_j. The chance of any false positive stays within the level, however the
    tests depend on each other, by the union bound.
    """
    steps = np.array(least, dtype=np.float64)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, place in enumerate(order):
        p, left = p_values[place], steps[order[rank:]]
        coarse = np.maximum(left, _FINE)
        rounded = np.where(left > _FINE, np.floor(p / coarse) * coarse, p)
        largest = max(largest, float(rounded.sum()), p)
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
