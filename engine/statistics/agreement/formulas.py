"""Coefficients of agreement from counts, for any number of resamples at once.

All take arrays of counts whose last axes are values (and raters' values), and give one figure for
each of the leading ones; NaN where a coefficient is not defined, which `measures` puts into
words. Sources:

- Cohen's kappa: Cohen 1960; weighted: Cohen 1968. `1 - observed / expected` disagreement.
- Krippendorff's alpha: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability".
- Gwet's AC1 and AC2: Gwet 2014, "Handbook of Inter-Rater Reliability", 4th ed., ch. 4 and 5.
- Spearman's rho: Pearson's correlation of the mid-ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Weights = Literal["plain", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]


def disagreement(values: int, weights: Weights) -> Array:
    """values x values: 0 for equal ones, 1 for those furthest apart (or any two, if plain).

    By the places of the values in their order, as scikit-learn has it."""
    places = np.arange(values, dtype=np.float64)
    apart: Array = np.abs(places[:, None] - places)
    if weights == "plain":
        return (apart > 0).astype(np.float64)
    apart /= max(values - 1, 1)
    if weights == "quadratic":
        apart *= apart
    return apart


def kappa(tables: Array, weights: Weights = "plain") -> Array:
    """Cohen's kappa of ... x q x q counts: one rater's values by the other's."""
    apart = disagreement(tables.shape[-1], weights)
    observed = (tables * apart).sum((-2, -1)) * tables.sum((-2, -1))
    expected = np.einsum("...i,...j,ij->...", tables.sum(-1), tables.sum(-2), apart)
    return 1 - _ratio(observed, expected)


def alpha(
    coincidences: Array, level: Level = "nominal", numbers: Sequence[float] | None = None
) -> Array:
    """Krippendorff's alpha of ... x q x q coincidences; `numbers` are the values, for an interval
    scale (their places when not given)."""
    margins = coincidences.sum(-1)
    size = coincidences.shape[-1]
    if level == "ordinal":
        middles = margins.cumsum(-1) - margins / 2
        apart = (middles[..., :, None] - middles[..., None, :]) ** 2
    elif level == "interval":
        at = np.arange(size, dtype=np.float64) if numbers is None else np.asarray(numbers, float)
        apart = (at[:, None] - at) ** 2
    else:
        apart = disagreement(size, "plain")
    observed = (coincidences * apart).sum((-2, -1)) * (margins.sum(-1) - 1)
    expected = (margins[..., :, None] * margins[..., None, :] * apart).sum((-2, -1))
    return 1 - _ratio(observed, expected)


def gwet(agreed: Array, pairable: Array, shares: Array, weights: Weights = "plain") -> Array:
    """AC1 (plain) or AC2. `agreed`: weighted agreement summed over the `pairable` units (two
    ratings or more); `shares`: ... x q, each value's share of a unit's ratings, summed over all
    units, also those with one rating, which know as much of how often a value is given."""
    size = shares.shape[-1]
    total = shares.sum(-1, keepdims=True)
    common = _ratio(shares, np.broadcast_to(total, shares.shape))
    likeness = (1 - disagreement(size, weights)).sum()
    by_chance = likeness / max(size * (size - 1), 1) * (common * (1 - common)).sum(-1)
    return _ratio(_ratio(agreed, pairable) - by_chance, 1 - by_chance)


def raw(agreed: Array, pairable: Array) -> Array:
    """The share of agreeing pairs of ratings, averaged over units."""
    return _ratio(agreed, pairable)


def spearman(tables: Array) -> Array:
    """Spearman's rho of ... x q x q counts of ordered values; ties get their mid-rank."""
    rows, columns = tables.sum(-1), tables.sum(-2)
    total = rows.sum(-1)
    one = rows.cumsum(-1) - rows / 2 - total[..., None] / 2
    two = columns.cumsum(-1) - columns / 2 - total[..., None] / 2
    shared = np.einsum("...ij,...i,...j->...", tables, one, two)
    spread = (rows * one**2).sum(-1) * (columns * two**2).sum(-1)
    return _ratio(shared, np.sqrt(spread))


def _ratio(above: Array, below: Array) -> Array:
    """NaN where `below` is 0."""
    out: Array = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=out, where=below != 0)
    return out
