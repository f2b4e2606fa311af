"""An estimate from labels and a judge's values, with its linearised variances for both targets.

`engine.statistics.prediction_powered` says what is estimated and why.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from engine.statistics.draws import Labels
from engine.statistics.inference import MIN_GROUPS, Interval, Target
from engine.statistics.shares import NORMAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

LEVEL = 0.05
FEWEST_EFFECTIVE = 2.0
"""Labels that count as fewer give no interval: hardly anything is left but one."""
FIRST_LOOK = 30
"""Labels before the first look of a confidence sequence."""


class Part(Struct, frozen=True):
    """What one target's uncertainty is made of."""

    variance: float
    floor: float
    df: float
    reason: str
    """Why there is no interval; empty if there is one."""

    @property
    def error(self) -> float:
        """The standard error."""
        return float((self.variance + self.floor) ** 0.5)


class Linear(Struct, frozen=True):
    """An estimate, the uncertainty for both targets, and what they follow from."""

    point: float
    weight: float
    effective: float
    run: Part
    new: Part
    sums: Floats
    """For each group its part in the error over questions."""
    of_labels: float
    """The part of the labels in the variance over questions, if no two were of one group."""
    is_census: bool

    def interval(self, target: Target, ends: tuple[float, float], *, tested: bool) -> Interval:
        """The interval by Student's t, within `ends`; with `tested` also the p of no difference."""
        part: Part = getattr(self, target)
        if target == "run" and self.is_census:
            return Interval("run", "census", self.point, self.point)
        if part.reason:
            return Interval(target, "too few", reason=part.reason)
        from scipy.special import stdtr, stdtrit

        half = float(stdtrit(part.df, 1 - LEVEL / 2)) * part.error
        low, high = max(ends[0], self.point - half), min(ends[1], self.point + half)
        p = 2 * float(stdtr(part.df, -abs(self.point) / part.error)) if tested else None
        return Interval(target, "ok", low, high, method="t", df=part.df, p=p)


def sequence_interval(
    found: Linear, target: Target, planned: float, ends: tuple[float, float]
) -> Interval:
    """The interval that holds at every look at once, so that one may stop at any label.

    An asymptotic confidence sequence by a normal mixture (Waudby-Smith, Arbour, Sinha, Kennedy and
    Ramdas 2024, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
    Statistics 52:6, arXiv 2103.06476), narrowest at about `planned` labels, with the variance of
    the ordinary interval. None before `FIRST_LOOK` labels count: there it is not to be trusted.
    """
    part: Part = getattr(found, target)
    plain = found.interval(target, ends, tested=False)
    if plain.state != "ok":
        return plain
    n = found.effective
    if n < FIRST_LOOK:
        reason = f"too few labels for a sequence: {n:.0f} of {FIRST_LOOK}"
        return Interval(target, "too few", reason=reason)
    from scipy.special import stdtrit

    log = -2 * math.log(LEVEL)
    rho = (log + math.log(1 + log)) / max(planned, FIRST_LOOK)
    grown = n * rho + 1
    factor = (2 * grown / (n * rho) * (0.5 * math.log(grown) - math.log(LEVEL))) ** 0.5
    # the variance is estimated, which tells with few labels
    half = factor * float(stdtrit(part.df, 1 - LEVEL / 2)) / NORMAL * part.error
    low, high = max(ends[0], found.point - half), min(ends[1], found.point + half)
    return Interval(target, "ok", low, high, method="sequence", df=part.df)


def linear(judge: Floats | None, groups: Ints, labels: Labels) -> Linear | None:
    """The estimate with its linearised variances; without a judge people's own. None where no
    label has a value."""
    applies = ~np.isnan(labels.values)
    if not applies.any():
        return None
    size = len(groups)
    w = labels.weights * (size / labels.weights.sum())
    fit = _fitted(judge, labels, w, size)
    strata = np.zeros(size, dtype=np.int64) if labels.strata is None else labels.strata
    h = strata[labels.at]
    owed = np.bincount(h, w, int(strata.max()) + 1).astype(np.float64)
    levels = np.bincount(h, w * fit.residuals, len(owed)) / np.maximum(owed, 1e-300)
    errors = fit.residuals - levels[h]

    groups_there = groups[labels.at]
    kish = _kish(w[applies])
    by_group = np.bincount(groups_there[applies], w[applies]).astype(np.float64)
    group_kish = _kish(by_group[by_group > 0])
    effective = min(kish, group_kish)
    counted = effective if labels.whole_groups else kish
    df = group_kish - 1 if labels.whole_groups else _df(w, h, owed)

    pairs = np.unique(np.column_stack([h, groups_there]), axis=0)
    parts = w * errors * _bessel(np.bincount(pairs[:, 0], minlength=len(owed)))[h] ** 0.5 / size
    of_all = (fit.weight * fit.judge / fit.share + levels[strata]) / size
    sums: Floats = np.bincount(groups, of_all).astype(np.float64)
    sums = sums + np.bincount(groups_there, parts, len(sums))
    sums = sums * _bessel(np.array(len(np.unique(groups)))) ** 0.5
    return Linear(
        fit.point,
        fit.weight,
        counted,
        _of_the_draw(labels, w, errors, h, groups_there, counted, df),
        Part(
            float(sums @ sums),
            0.5 / effective**2,
            min(df, group_kish - 1),
            _reason(effective, int(np.count_nonzero(by_group)), "labelled groups"),
        ),
        sums,
        float(parts @ parts),
        len(labels.at) == size,
    )


class _Fit(Struct, frozen=True):
    """A point estimate and what is left over."""

    point: float
    weight: float
    judge: Floats
    """The judge's values beside their mean; 0 for an answer without one."""
    residuals: Floats
    """Of each label; their weighted mean is 0."""
    share: float
    """Of the population that the metric applies to."""


def _fitted(judge: Floats | None, labels: Labels, w: Floats, size: int) -> _Fit:
    applies = ~np.isnan(labels.values)
    share = float(w @ applies) / size
    own = float(w[applies] @ labels.values[applies]) / (share * size)
    v = np.zeros(size)
    if judge is not None and not np.isnan(judge).all():
        has = ~np.isnan(judge)
        v[has] = judge[has] - judge[has].mean()
    near = v[labels.at]
    centred = near - w @ near / size
    squares = float(w @ centred**2)
    u = np.where(applies, labels.values - own, 0.0)
    weight = min(1.0, max(0.0, float(w @ (u * centred)) / squares)) if squares > 1e-12 else 0.0
    point = own - weight * float(w @ near) / (size * share)
    residuals = (np.where(applies, labels.values - point, 0.0) - weight * near) / share
    return _Fit(point, weight, v, residuals, share)


def _of_the_draw(
    labels: Labels,
    w: Floats,
    errors: Floats,
    h: Ints,
    groups: Ints,
    effective: float,
    df: float,
) -> Part:
    """The uncertainty of the draw alone: none is left when all are labelled."""
    size = float(w.sum())
    left = 1 - len(labels.at) / size
    if labels.whole_groups:
        together = np.bincount(groups, w * errors)
        variance = (
            float(together @ together) * left * float(_bessel(np.array(len(np.unique(groups)))))
        )
    else:
        spread = w * np.maximum(w - 1, 0)
        if labels.spread is not None:
            spread = labels.spread * (size / labels.weights.sum()) ** 2
        variance = float(spread @ (errors**2 * _bessel(np.bincount(h))[h]))
    n = int(np.count_nonzero(~np.isnan(labels.values)))
    reason = _reason(effective, n, "labels with a value")
    return Part(variance / size**2, 0.5 / effective**2 * left, df, reason)


def _bessel(n: Ints) -> Floats:
    """n / (n - 1), and 2 for n below 2, which says nothing of a variance."""
    at_least = np.maximum(n, 2).astype(np.float64)
    of_samples: Floats = at_least / (at_least - 1)
    return of_samples


def _kish(w: Floats) -> float:
    """So many equal weights say as much."""
    return float(w.sum() ** 2 / (w @ w))


def _df(w: Floats, h: Ints, owed: Floats) -> float:
    """Satterthwaite's degrees of freedom of the draw, as if all strata varied alike."""
    held, squares = np.bincount(h, minlength=len(owed)), np.bincount(h, w**2, len(owed))
    inside = held > 1
    kish = owed[inside] ** 2 / squares[inside]
    free = (held[inside] - 1) * kish / held[inside]
    parts = squares[inside]
    return float(parts.sum() ** 2 / (parts**2 / free).sum()) if len(parts) else 1.0


def _reason(effective: float, units: int, what: str) -> str:
    if units < MIN_GROUPS:
        return f"too few {what} for an interval: {units}"
    if effective < FEWEST_EFFECTIVE:
        return f"labels weigh so unequally that they count as {effective:.1f}"
    return ""
