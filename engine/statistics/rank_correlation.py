"""Spearman's rank correlation with an interval from resampled groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from engine.statistics.inference import MIN_GROUPS, Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RESAMPLES = Settings(resamples=999)


class RankCorrelation(Struct, frozen=True):
    """rho in [-1, 1]: the correlation of the ranks, equal values sharing their mean rank."""

    rho: float | None
    """Null with fewer than two values, or where all of one side are equal."""
    low: float | None
    """Ends of the interval; null with too few groups."""
    high: float | None
    n: int
    groups: int


def rank_correlation(
    first: Sequence[float],
    second: Sequence[float],
    groups: Sequence[str],
    settings: Settings = _RESAMPLES,
) -> RankCorrelation:
    """Spearman's rho of two columns, one entry a turn, with an interval over whole groups."""
    import numpy as np

    from engine.statistics.bootstrap import interval

    names = sorted(set(groups))
    number_of = {name: number for number, name in enumerate(names)}
    of_turn = np.array([number_of[group] for group in groups], dtype=np.intp)
    columns = [np.asarray(column, dtype=np.float64) for column in (first, second)]
    whole = _weighted(columns, np.ones((1, len(groups))))[0] if len(groups) > 1 else np.nan
    rho = None if np.isnan(whole) else float(whole)
    if rho is None or len(names) < MIN_GROUPS:
        return RankCorrelation(rho, None, None, len(groups), len(names))
    random = np.random.default_rng(settings.seed)
    drawn = random.multinomial(
        len(names), np.full(len(names), 1 / len(names)), size=settings.resamples
    )
    resampled = _weighted(columns, drawn[:, of_turn].astype(np.float64))
    # a resample in which one side is all equal says nothing
    low, high = interval(resampled[~np.isnan(resampled)], len(names), settings.level)
    return RankCorrelation(rho, low, high, len(groups), len(names))


def _weighted(
    columns: Sequence[NDArray[np.float64]], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """rho for each row of weights, which say how often every turn was drawn; NaN where one side is
    all equal."""
    import numpy as np

    a, b = (_ranks(column, weights) for column in columns)
    total = weights.sum(axis=1, keepdims=True)
    a = a - (weights * a).sum(axis=1, keepdims=True) / total
    b = b - (weights * b).sum(axis=1, keepdims=True) / total
    products = (weights * a * b).sum(axis=1)
    squares = (weights * a * a).sum(axis=1) * (weights * b * b).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho: NDArray[np.float64] = np.where(
            squares > 1e-9, products / np.sqrt(squares), np.nan
        ).clip(-1, 1)
    return rho


def _ranks(column: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean rank of every value in each resample, up to a constant."""
    import numpy as np

    order = np.argsort(column, kind="stable")
    ordered = column[order]
    is_first = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    held = np.add.reduceat(weights[:, order], np.flatnonzero(is_first), axis=1)
    middle = np.cumsum(held, axis=1) - held / 2
    value_of = np.empty(len(column), dtype=np.intp)
    value_of[order] = np.cumsum(is_first) - 1
    ranks: NDArray[np.float64] = middle[:, value_of]
    return ranks
