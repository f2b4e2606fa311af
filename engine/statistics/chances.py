"""Chances of being drawn for labelling, known before any label, and the draw by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

UNIFORM_SHARE = 0.5
"""Of the labels, drawn alike whatever the uncertainty says: an uncertainty that misleads then costs
at most so much."""
LEAST = 0.1
"""The least uncertainty that counts, as a share of the mean."""


def chances(uncertainty: Floats, n: int, uniform_share: float = UNIFORM_SHARE) -> Floats:
    """The chance of each member to be among `n`: in part alike, in part by its uncertainty.

    The best chances are proportional to the root of the expected squared residual, which is what
    `uncertainty` (at least 0) should be. They sum to n, or to the number of members if that is
    less; what would exceed 1 goes to the others.
    """
    size = len(uncertainty)
    if n >= size:
        return np.ones(size)
    mean = float(uncertainty.mean())
    floored = np.maximum(uncertainty, LEAST * mean) if mean > 0 else np.ones(size)
    wanted: Floats = (1 - uniform_share) * n * floored / floored.sum() + uniform_share * n / size
    certain = np.zeros(size, dtype=np.bool_)
    while np.any(wanted[~certain] > 1):
        certain |= wanted > 1
        wanted[certain] = 1
        wanted[~certain] *= (n - certain.sum()) / wanted[~certain].sum()
    return wanted


def drawn(wanted: Floats, seed: int) -> Ints:
    """The places that a draw of fixed size by the chances `wanted` takes, in the order drawn.

    Systematic on the cumulated chances of a random order (Madow 1949), so that as many come as the
    chances sum to, which must be a whole number; then shuffled, so that the first of them are
    themselves a random part. The same seed takes the same.
    """
    random = np.random.default_rng(seed)
    order = random.permutation(len(wanted))
    n = round(float(wanted.sum()))
    ends = np.cumsum(wanted[order])
    ends *= n / ends[-1]
    steps = random.random() + np.arange(n)
    taken: Ints = order[np.minimum(np.searchsorted(ends, steps, side="right"), len(order) - 1)]
    return random.permutation(taken)


def expected_by_class(classes: Ints, known: Floats, fallback: Floats, prior: float = 4.0) -> Floats:
    """The expected value of each member from what is `known` of some (NaN elsewhere), by class.

    A class's mean is drawn towards `fallback` as if it held `prior` members more of that value; a
    class of which nothing is known has the fallback of its members.
    """
    has = ~np.isnan(known)
    size = int(classes.max()) + 1
    sums = np.bincount(classes[has], known[has], size)
    counts = np.bincount(classes[has], minlength=size)
    joined: Floats = (sums[classes] + prior * fallback) / (counts[classes] + prior)
    return joined
