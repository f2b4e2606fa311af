"""Confidence intervals from a bootstrap that resamples whole groups.

The interval is the expanded percentile interval (Hesterberg 2015, "What Teachers Should Know About
the Bootstrap", The American Statistician 69:4): quantiles of the resampled statistic, taken so far
out as Student's t and the factor n / (n - 1) ask for. The plain percentile interval is too narrow
for few groups; the expanded one becomes it as the groups grow.

Chosen by simulation, 1,000 repetitions of 999 resamples each; share of nominal 95 % intervals that
cover the true mean difference, and how many studentised ones had no end:

    differences of groups               groups  percentile  BCa   expanded  studentised
    normal                                   6        87.7  87.3      93.9  95.1
                                            20        91.9  91.5      93.9  94.0
    half ties, half uniform (as F1)          6        87.1  85.0      95.9  95.8, 34 % infinite
                                            20        91.7  90.5      94.5  92.4
    -1, 0, 1 with 60 % ties (as EM)          6        82.5  86.3      87.2  88.1, 44 % infinite
                                            20        95.8  96.1      97.5  96.7,  2 % infinite
    exponential                              6        81.0  83.4      89.4  94.1
                                            20        88.9  90.2      91.4  94.0
    groups of 1 to 8 correlated turns        6        86.1  85.5      93.1  94.0
                                            20        92.1  91.2      93.7  94.8
    zero but for 15 % uniform gains          6        54.1  56.1      57.7  61.9, 57 % infinite
                                            20        83.1  86.4      85.2  94.7, 59 % infinite
                                            50        92.1  95.5      92.9  98.1,  2 % infinite

BCa does not mend small samples, and the studentised interval breaks on ties, of which evaluation
is full. No interval is to be trusted where hardly any group differs: it knows only what it saw.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DRAWS_AT_ONCE = 32_768  # few enough to stay in a core's cache
_PRODUCTS_AT_ONCE = 200_000  # few enough that BLAS starts no threads, which cost more than these


def resampled_means(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], seed: int, resamples: int
) -> NDArray[np.float64]:
    """Means over the turns of randomly drawn groups, as many as there are, with replacement.

    `sums` is groups x columns, `sizes` the number of turns in each group; returns resamples x
    columns. All columns of a row come from the same draw, so their differences are paired.
    """
    random = np.random.default_rng(seed)
    groups = len(sizes)
    columns = np.column_stack([sums, sizes])
    totals = np.empty((resamples, columns.shape[1]))
    rows = max(1, min(_DRAWS_AT_ONCE, _PRODUCTS_AT_ONCE // columns.shape[1]) // groups)
    first = groups * np.arange(rows)[:, None]
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        drawn = random.integers(groups, size=(count, groups)) + first[:count]
        times = np.bincount(drawn.ravel(), minlength=count * groups).reshape(count, groups)
        totals[start : start + count] = times.astype(np.float64) @ columns
    return totals[:, :-1] / totals[:, -1:]


@cache
def expanded_tail(groups: int, level: float) -> float:
    """The share of resamples to leave out on either side for an interval covering 1 - level.

    `Phi(sqrt(n / (n - 1)) * t)`, t the level / 2 quantile of Student's t with n - 1 degrees of
    freedom; below level / 2 and rising to it. Needs at least two groups.
    """
    from scipy.special import ndtr, stdtrit

    spread = math.sqrt(groups / (groups - 1))
    return float(ndtr(spread * stdtrit(groups - 1, level / 2)))


def interval(resampled: NDArray[np.float64], groups: int, level: float) -> tuple[float, float]:
    """The expanded percentile interval of a statistic from its resampled values."""
    return ends(resampled, expanded_tail(groups, level))


def ends(resampled: NDArray[np.float64], tail: float) -> tuple[float, float]:
    """The k-th smallest and the k-th largest value, k = tail * (resamples + 1) rounded down (at
    least 1), so the ends of the negated values are exactly the negated ends."""
    k = max(1, math.floor(tail * (len(resampled) + 1)))
    ordered = np.sort(resampled)
    return float(ordered[k - 1]), float(ordered[-k])
