"""Sums of ratings over units, from which a coefficient is computed for any resample of groups."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.statistics.agreement.formulas import disagreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Codes = NDArray[np.int64]

MISSING = -1


class Counts(NamedTuple):
    """The counts behind the coefficients. Leading axes are units, groups or resamples."""

    tables: Array
    """... x pairs of raters x q x q: the first rater's values by the second's."""
    coincidences: Array
    """... x q x q, of units with two ratings or more."""
    agreed: Array
    """... : the share of pairs of a unit's ratings that agree."""
    nearly: Array
    """... : the same with quadratic weights."""
    pairable: Array
    """... : units with two ratings or more."""
    shares: Array
    """... x q: each value's share of a unit's ratings."""


def pairs(raters: int) -> list[tuple[int, int]]:
    return list(combinations(range(raters), 2))


def encode(ratings: Sequence[Sequence[Hashable | None]], values: Sequence[Hashable]) -> Codes:
    """units x raters: the place of each value among `values`, MISSING for None.

    ValueError for a value that is not among them."""
    places: dict[Hashable | None, int] = {value: at for at, value in enumerate(values)}
    places[None] = MISSING
    try:
        return np.array([[places[one] for one in unit] for unit in ratings], dtype=np.int64)
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is none of the values {list(values)}") from error


def count(codes: Codes, size: int) -> Counts:
    """The counts that each unit (row) adds; `size` is the number of values."""
    units, raters = codes.shape
    marks = (codes[:, :, None] == np.arange(size)).astype(np.float64)
    times = marks.sum(1)
    given = times.sum(1)
    pairable = (given >= 2).astype(np.float64)
    orders = given * (given - 1)
    orders[orders == 0] = 1
    both = times[:, :, None] * times[:, None, :]
    both[:, np.arange(size), np.arange(size)] -= times
    both *= pairable[:, None, None]
    tables = np.empty((units, len(pairs(raters)), size, size))
    for at, (one, other) in enumerate(pairs(raters)):
        tables[:, at] = marks[:, one, :, None] * marks[:, other, None, :]
    likeness = 1 - disagreement(size, "quadratic")
    return Counts(
        tables=tables,
        coincidences=both / np.maximum(given - 1, 1)[:, None, None],
        agreed=np.trace(both, axis1=1, axis2=2) / orders,
        nearly=(both * likeness).sum((1, 2)) / orders,
        pairable=pairable,
        shares=times / np.maximum(given, 1)[:, None],
    )


def summed(counts: Counts) -> Counts:
    """The sums over the first axis."""
    return Counts(*(part.sum(0) for part in counts))


def flat(counts: Counts) -> Array:
    """One row of numbers for each place of the first axis; `unflat` is the way back."""
    return np.concatenate([part.reshape(len(part), -1) for part in counts], axis=1)


def unflat(rows: Array, like: Counts) -> Counts:
    """`rows` as counts whose parts have the shapes of `like` beyond its first axis."""
    parts, begin = [], 0
    for part in like:
        shape = part.shape[1:]
        end = begin + int(np.prod(shape, dtype=int))
        parts.append(rows[:, begin:end].reshape(len(rows), *shape))
        begin = end
    return Counts(*parts)
