"""Intervals of shares: where values are 0 or 1, a normal interval fails with few or rare ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NORMAL = 1.959964
RARE = 10
"""Values, or groups, that are other than all others; with fewer, the mean is of a rare event."""


def clopper_pearson(mean: float, n: float, level: float) -> tuple[float, float]:
    """The exact binomial interval of a share found in `n` values, which need not be whole."""
    from scipy.special import betaincinv

    had = mean * n
    low = float(betaincinv(had, n - had + 1, level / 2)) if had > 0 else 0.0
    high = float(betaincinv(had + 1, n - had, 1 - level / 2)) if had < n else 1.0
    return low, high


def wilson(mean: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's score interval of a share found in `n` values; all of [0, 1] for n = 0."""
    square = quantile**2
    middle = (mean * n + square / 2) / (n + square)
    half = quantile * (mean * (1 - mean) * n + square / 4) ** 0.5 / (n + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def korn_graubard(
    mean: float, n: float, variance: float, df: float, fallback: float, level: float
) -> tuple[float, float]:
    """The binomial interval with the number of values that, being independent, would give
    `variance`, but not more than `n`, fewer as `df` asks for; with `fallback` values where nothing
    varied (Korn and Graubard 1998, Survey Methodology 24:2)."""
    from scipy.special import stdtrit

    counted = fallback
    if variance > 0 and 0 < mean < 1:
        counted = min(n, mean * (1 - mean) / variance)
        counted *= float(stdtrit(max(n - 1, 1), level / 2) / stdtrit(df, level / 2)) ** 2
    return clopper_pearson(min(1.0, max(0.0, mean)), counted, level)


def is_rare(values: Floats) -> bool:
    """Whether hardly any of `values`, on [0, 1], is other than the lowest or the highest: fewer
    than `RARE`, and fewer than half unless all are 0 or 1."""
    other = min(int(np.sum(values > 0)), int(np.sum(values < 1)))
    return other < RARE and (_are_shares(values) or 2 * other < len(values))


def _are_shares(values: Floats) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def by_verdict(
    verdicts: Floats, given: Floats, values: Floats, weights: Floats, t: float
) -> tuple[float, float] | None:
    """How far the ends of an interval lie below and above a mean of 0 and 1, by a judge's verdict.

    Post-stratification: the shares of `verdicts` (of all answers) are known, and each verdict's
    share of 1 among people's `values` has Wilson's interval. `given` are the verdicts of the
    labelled. With `t` of 0 the finite population counts, and the quantile is normal. None unless
    all are 0 or 1 and each verdict has a label.
    """
    if not (_are_shares(verdicts) and _are_shares(given) and _are_shares(values)):
        return None
    below = above = 0.0
    for verdict in (0.0, 1.0):
        size, mine = int(np.sum(verdicts == verdict)), given == verdict
        if not size:
            continue
        if not mine.any():
            return None
        mean = float(weights[mine] @ values[mine] / weights[mine].sum())
        n = float(weights[mine].sum() ** 2 / (weights[mine] @ weights[mine]))
        if not t:
            if mine.sum() == size:
                continue
            n *= (size - 1) / (size - n)
        low, high = wilson(mean, n, t or NORMAL)
        share = size / len(verdicts)
        below += (share * (mean - low)) ** 2
        above += (share * (high - mean)) ** 2
    return below**0.5, above**0.5
