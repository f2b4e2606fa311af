"""Agreement of a judge with people where labels stand for unequally many answers.

Every cell of the table of people's by the judge's values holds weights, 1 / (chance of being
drawn), not counts: labels drawn by uncertainty are harder than others, and would make the judge
look worse than it is. The variance is a jackknife that leaves one group out at a time, each term
times the share of it that the draw leaves open.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import structs

from engine.statistics.agreement import formulas
from engine.statistics.agreement.counts import encode
from engine.statistics.agreement.intervals import FEWEST_GROUPS, LEVEL
from engine.statistics.agreement.statistic import Statistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

WEIGHTED = ("raw", "kappa_plain", "kappa_quadratic", "ac1", "spearman")
"""Statistics that are computed with weights: the share of equal values, Cohen's kappa, AC1, and
Spearman's rank correlation."""


def weighted_measures(
    pairs: Sequence[tuple[Hashable, Hashable]],
    values: Sequence[Hashable],
    names: Iterable[str],
    groups: Sequence[Hashable],
    weights: Sequence[float],
) -> dict[str, Statistic]:
    """The named statistics of people's and a judge's values, each with its 95 % interval.

    `pairs` are (people's, judge's) of `values`; `weights` the number of answers that each pair
    stands for, at least 1. Raises ValueError for a name that is not among `WEIGHTED`.
    """
    if not pairs:
        return {name: Statistic(None, "nobody has labelled it") for name in names}
    codes = encode([list(pair) for pair in pairs], values)
    w = np.asarray(weights, dtype=np.float64)
    size = len(values)
    _, group_of = np.unique([str(group) for group in groups], return_inverse=True)
    tables = np.zeros((int(group_of.max()) + 1, size, size))
    np.add.at(tables, (group_of, codes[:, 0], codes[:, 1]), w)
    whole = tables.sum(0)
    # a group of which the draw left nothing open varies no more
    open_share = 1 - np.bincount(group_of) / np.bincount(group_of, w)
    return {name: _statistic(name, whole, tables, np.maximum(open_share, 0)) for name in names}


def _statistic(name: str, whole: Floats, tables: Floats, open_share: Floats) -> Statistic:
    value = float(_computed(name, whole))
    if np.isnan(value):
        return Statistic(None, "people and judge gave one value only: chance would agree as well")
    found, groups = Statistic(value), len(tables)
    if groups < FEWEST_GROUPS:
        return structs.replace(found, interval_reason=f"too few groups for an interval: {groups}")
    without = _computed(name, whole - tables)
    steps = np.nan_to_num(without - value)
    if not steps.any():
        return structs.replace(found, interval_reason="no interval: nothing varies")
    from scipy.special import stdtrit

    variance = float(open_share @ (steps - steps.mean()) ** 2) * (groups - 1) / groups
    half = float(stdtrit(groups - 1, 1 - LEVEL / 2)) * variance**0.5
    lowest = 0.0 if name == "raw" else -1.0
    return structs.replace(found, low=max(lowest, value - half), high=min(1.0, value + half))


def _computed(name: str, tables: Floats) -> Floats:
    """The statistic of ... x q x q weights."""
    total = tables.sum((-2, -1))
    agreed = np.trace(tables, axis1=-2, axis2=-1)
    match name:
        case "raw":
            return formulas.raw(agreed, total)
        case "ac1":
            return formulas.gwet(agreed, total, (tables.sum(-1) + tables.sum(-2)) / 2)
        case "spearman":
            return formulas.spearman(tables)
        case "kappa_plain":
            return formulas.kappa(tables, "plain")
        case "kappa_quadratic":
            return formulas.kappa(tables, "quadratic")
    raise ValueError(f"{name!r} is not computed with weights; {', '.join(WEIGHTED)} are")
