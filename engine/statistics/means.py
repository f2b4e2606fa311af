"""The 95 % interval of a mean over groups: one method, wherever a mean is shown.

An expanded percentile bootstrap of the groups (see `engine.statistics.bootstrap`), except where
hardly any group holds anything but the lowest or highest value: there resampling knows only what it
saw, and an exact binomial interval with the effective number of values takes its place (Korn and
Graubard 1998, "Confidence intervals for proportions with small expected number of positive counts",
Survey Methodology 24:2). `benchmarks/coverage.py` measures how often both hold the true mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.statistics.bootstrap import interval, resampled_means
from engine.statistics.inference import MIN_GROUPS
from engine.statistics.shares import RARE, clopper_pearson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.statistics.inference import Settings

    Floats = NDArray[np.float64]


def mean_interval(
    sums: Floats,
    sizes: Floats,
    are_shares: bool,
    settings: Settings,
    resampled: Floats | None = None,
) -> tuple[float | None, float | None]:
    """The interval of sum(sums) / sum(sizes); no ends with fewer than `MIN_GROUPS` groups.

    `sums` are of the values in each group, `sizes` their numbers; `are_shares` says that every
    value is 0 or 1. `resampled` are the means of `resampled_means` where they are known.
    """
    if len(sums) < MIN_GROUPS:
        return None, None
    if _is_rare(sums, sizes, are_shares):
        return _exact(sums, sizes, settings.level)
    if resampled is None:
        means = resampled_means(sums[:, None], sizes, settings.seed, settings.resamples)
        resampled = means[:, 0]
    return interval(resampled, len(sums), settings.level)


def _is_rare(sums: Floats, sizes: Floats, are_shares: bool) -> bool:
    if np.any(sums < 0) or np.any(sums > sizes):
        return False
    else_than_an_end = min(int(np.sum(sums > 0)), int(np.sum(sums < sizes)))
    return else_than_an_end < RARE and (are_shares or 2 * else_than_an_end < len(sums))


def _exact(sums: Floats, sizes: Floats, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval with the number of values that, being independent, would give
    the variance between groups, but not more than there are; shrunk as Student's t asks for few
    groups. Without variance nothing says how alike the values of a group are: a group counts once.
    """
    from scipy.special import stdtrit

    values, groups = float(sizes.sum()), len(sums)
    mean = float(sums.sum()) / values
    errors = (sums - mean * sizes) / values
    variance = float(errors @ errors) * groups / (groups - 1)
    n = float(groups)
    if variance > 0:
        n = min(values, mean * (1 - mean) / variance)
        n *= float(stdtrit(values - 1, level / 2) / stdtrit(groups - 1, level / 2)) ** 2
    return clopper_pearson(mean, n, level)
