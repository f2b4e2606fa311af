"""Prediction-powered inference: estimates the human mean from few labels and a judge's scores.

A judge's mean over a run is as wrong as the judge is; people's labels are right but few. The
estimate joins them (PPI++: Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453; for RAG: ARES,
Saad-Falcon et al. 2023, arXiv 2311.09476):

    people's mean over the labelled - weight * (judge's mean over the labelled - over all)

which is unbiased for any weight that does not depend on the labels; the weight that makes the
variance least is estimated, within [0, 1]. Beyond the paper: means are ratios, as a metric need not
apply to every answer; labels are weighted by stratum (see `label_weights`), as samples are drawn by
quota; and the variance is that of sums over whole groups (dialogue, source document, question),
which are independent where answers are not. It is the linearised, cluster-robust one. Labels that
weigh unequally count as fewer: n = (sum of weights)^2 / sum of squares over the labelled groups
(Kish 1965) stands for their number in the correction for few groups and in Student's t, which has
n - 1 degrees of freedom. Added is .5 / n^2, the variance of two labels that miss by half the scale:
where the judge happened to be right on all labels it may still be wrong elsewhere.
`benchmarks/coverage.py` measures how often the intervals hold the true mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.statistics.inference import MIN_GROUPS, Powered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEVEL = 0.05
FEWEST_EFFECTIVE = 2.0
"""Labelled groups that count as fewer give no interval: hardly anything is left but one."""


def label_weights(
    strata: Sequence[tuple[Hashable, ...]], labelled: Sequence[int]
) -> NDArray[np.float64]:
    """The share of the population that each labelled member stands for; the weights sum to 1.

    `strata` gives for each member of the population its place, from coarse to fine: task and
    topic, then what the sample was balanced over. A labelled member shares the weight of its finest
    stratum with the labelled ones in it; a stratum without labels falls to the next coarser one
    that has some. Raises ValueError without any label.
    """
    if not len(labelled):
        raise ValueError("nothing is labelled")
    depth = max(map(len, strata))
    counted = [Counter(strata[at][:level] for at in labelled) for level in range(depth + 1)]
    owed: Counter[tuple[Hashable, ...]] = Counter()
    for place in strata:
        level = len(place)
        while not counted[level][place[:level]]:
            level -= 1
        owed[place[:level]] += 1
    weights = np.array(
        [
            sum(
                owed[strata[at][:level]] / counted[level][strata[at][:level]]
                for level in range(len(strata[at]) + 1)
            )
            for at in labelled
        ]
    )
    shares: Floats = weights / weights.sum()
    return shares


def powered_mean(
    judge: Floats,
    groups: NDArray[np.int64],
    labelled: NDArray[np.int64],
    people: Floats,
    weights: Floats | None = None,
) -> Powered:
    """The estimate for a population of answers.

    `judge` holds the judge's value of each answer on [0, 1], NaN where it does not apply or there
    is none; `groups` the number of each answer's group. `labelled` are places in the population,
    `people` the values there, NaN where people say that it does not apply; `weights` theirs (equal
    when not given).
    """
    weights = np.full(len(labelled), 1.0) if weights is None else weights
    applies = ~np.isnan(people)
    has = ~np.isnan(judge)
    n, judged = int(applies.sum()), int(has.sum())
    own = float(judge[has].mean()) if judged else None
    labelled_groups = len(np.unique(groups[labelled[applies]]))
    by_group = np.bincount(groups[labelled[applies]], weights[applies])
    if not n:
        reason = "no label says that the metric applies"
        return Powered(0, judged, 0, own, None, None, None, None, None, None, 0.0, reason)
    effective = float(by_group.sum() ** 2 / (by_group @ by_group))
    size = int(groups.max()) + 1
    mine, errors = _ratio(people, weights, groups[labelled], size)
    inside = judge[labelled]
    if not judged or np.isnan(inside).all():
        its, steps = 0.0, np.zeros(size)
    else:
        near, near_errors = _ratio(inside, weights, groups[labelled], size)
        far, far_errors = _ratio(judge, np.ones(len(judge)), groups, size)
        its, steps = near - far, near_errors - far_errors
    squares = float(steps @ steps)
    weight = min(1.0, max(0.0, float(errors @ steps) / squares)) if squares > 0 else 0.0
    mean = mine - weight * its
    if labelled_groups < MIN_GROUPS:
        reason = f"too few labelled groups for an interval: {labelled_groups}"
        ends: tuple[float | None, ...] = (None,) * 4
    elif effective < FEWEST_EFFECTIVE:
        reason = f"labels weigh so unequally that they count as {effective:.1f} groups"
        ends = (None,) * 4
    else:
        reason = ""
        ends = (
            *_interval(mine, errors, effective),
            *_interval(mean, errors - weight * steps, effective),
        )
    human_low, human_high, low, high = ends
    return Powered(
        n,
        judged,
        labelled_groups,
        own,
        mine,
        human_low,
        human_high,
        mean,
        low,
        high,
        weight,
        reason,
        effective,
    )


def _ratio(
    values: Floats, weights: Floats, groups: NDArray[np.int64], size: int
) -> tuple[float, Floats]:
    """The weighted mean of what has a value, and each group's share in its error, linearised."""
    has = ~np.isnan(values)
    shares = np.where(has, weights, 0.0) / weights[has].sum()
    filled = np.where(has, values, 0.0)
    mean = float(shares @ filled)
    sums = np.bincount(groups, shares * (filled - mean), size).astype(np.float64)
    return mean, sums


def _interval(mean: float, errors: Floats, effective: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    variance = float(errors @ errors) * effective / (effective - 1) + 0.5 / effective**2
    half = float(stdtrit(effective - 1, 1 - LEVEL / 2)) * variance**0.5
    return max(0.0, mean - half), min(1.0, mean + half)
