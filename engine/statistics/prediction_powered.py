"""Prediction-powered inference: estimates the human mean from few labels and a judge's scores.

A judge's mean over a run is as wrong as the judge is; people's labels are right but few. The
estimate joins them (PPI++: Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453; for RAG: ARES,
Saad-Falcon et al. 2023, arXiv 2311.09476):

    people's mean over the labelled - weight * (judge's mean over the labelled - over all)

which is right for any weight that does not depend on the labels; the weight that makes the variance
least is estimated, within [0, 1]. As the labelled are among all, it is Cov / Var, without the
paper's factor for labels from elsewhere.

Beyond the paper: each label weighs 1 / (its chance of being drawn); means are over the answers that
people say the metric applies to; and there are two targets. `run` is the mean of exactly these
answers: only the draw is uncertain, so there is a correction for the finite population, and nothing
is uncertain once all is labelled. `new` is the mean over questions like these: sums over whole
groups (dialogue, source document, question) are independent where answers are not, and the variance
is theirs. Both variances are within the strata of the draw. Labels that weigh unequally count as
fewer: n = (sum of weights)^2 / sum of squares (Kish 1965). Added is .5 / n^2, the variance of two
labels that miss by half the scale: where the judge happened to be right on all labels it may still
be wrong elsewhere. `benchmarks/trust.py` measures how often the intervals hold the true mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, structs

from engine.statistics.draws import Labels
from engine.statistics.inference import (
    MIN_GROUPS,
    Interval,
    Powered,
    PoweredDifference,
    Target,
)
from engine.statistics.shares import by_verdict, is_rare, korn_graubard

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TARGETS: tuple[Target, Target] = ("run", "new")
LEVEL = 0.05
FEWEST_EFFECTIVE = 2.0
"""Labels that count as fewer give no interval: hardly anything is left but one."""
FEWEST_PAIRED = 0.5
"""With a smaller share of the labelled questions labelled for both runs, each has its own mean."""


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


def powered_mean(judge: Floats, groups: Ints, labels: Labels) -> Powered:
    """The estimate for a population of answers.

    `judge` holds the judge's value of each answer on [0, 1], NaN where it does not apply or there
    is none; such an answer counts as one of average value. `groups` is the number of each answer's
    group.
    """
    has = ~np.isnan(judge)
    applies = ~np.isnan(labels.values)
    own = float(judge[has].mean()) if has.any() else None
    joined, alone = linear(judge, groups, labels), linear(None, groups, labels)
    counts = (len(judge), int(applies.sum()), int(has.sum()))
    if joined is None or alone is None:
        reason = "no label says that the metric applies"
        run, new = (Interval(target, "undefined", reason=reason) for target in TARGETS)
        return Powered(*counts, 0, own, None, run, new, None, run, new, 0.0)
    constant = np.zeros(len(judge))
    human_run, human_new = (_interval(alone, t, constant, groups, labels) for t in TARGETS)
    run, new = (_interval(joined, t, judge, groups, labels) for t in TARGETS)
    return Powered(
        *counts,
        len(np.unique(groups[labels.at[applies]])),
        own,
        _within(alone.point),
        human_run,
        human_new,
        _within(joined.point),
        run,
        new,
        joined.weight,
        joined.effective,
        1 if labels.strata is None else len(np.unique(labels.strata)),
        labels.merged,
    )


def _within(point: float) -> float:
    return min(1.0, max(0.0, point))


def _interval(
    found: Linear, target: Target, judge: Floats, groups: Ints, labels: Labels
) -> Interval:
    """The interval of a mean: of rare values exact, of 0 and 1 by verdict, else by t."""
    plain = found.interval(target, (0.0, 1.0), tested=False)
    applies = ~np.isnan(labels.values)
    values = labels.values[applies]
    part: Part = getattr(found, target)
    if plain.state != "ok":
        return plain
    if labels.spread is None and not labels.whole_groups and applies.all():
        ends = _by_verdict(found, target, judge, groups, labels)
        if ends is not None:
            return Interval(target, "ok", *ends, method="by verdict", df=part.df)
    if is_rare(values):
        size, n = len(judge), float(len(values))
        n *= (size - 1) / (size - n) if target == "run" else 1.0
        low, high = korn_graubard(
            _within(found.point), n, part.variance, part.df, found.effective, LEVEL
        )
        return Interval(target, "ok", low, high, method="exact", df=part.df)
    return plain


def _by_verdict(
    found: Linear, target: Target, judge: Floats, groups: Ints, labels: Labels
) -> tuple[float, float] | None:
    from scipy.special import stdtrit

    t = float(stdtrit(found.new.df, 1 - LEVEL / 2)) if target == "new" else 0.0
    ways = by_verdict(judge, judge[labels.at], labels.values, labels.weights, t)
    if ways is None:
        return None
    # of questions like these the shares of the verdicts are uncertain, too, and groups are alike
    beyond = t * max(0.0, found.new.variance - found.of_labels) ** 0.5
    below, above = (float(np.hypot(way, beyond)) for way in ways)
    return max(0.0, found.point - below), min(1.0, found.point + above)


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


def powered_difference(
    judge_a: Floats, judge_b: Floats, groups: Ints, a: Labels, b: Labels
) -> PoweredDifference:
    """The difference of two runs, a minus b, over the questions that both answered.

    Where most labelled questions have labels of both answers, drawn together, the estimate is over
    their differences, which is the sharper one; else it is the difference of two means whose
    labels were drawn apart.
    """
    gaps = judge_a - judge_b
    both, in_a, in_b = np.intersect1d(a.at, b.at, return_indices=True)
    is_paired = len(both) >= FEWEST_PAIRED * max(len(a.at), len(b.at), 1)
    if is_paired:
        # drawn apart, the chance of both would be another
        factors = a.weights[in_a] / b.weights[in_b]
        is_paired = bool(np.allclose(factors, factors[0]))
    if is_paired:
        together = structs.replace(
            a,
            at=both,
            values=a.values[in_a] - b.values[in_b],
            weights=a.weights[in_a],
            spread=None if a.spread is None else a.spread[in_a],
        )
        found = linear(gaps, groups, together)
        n_a = n_b = int((~np.isnan(together.values)).sum())
    else:
        found = _apart(linear(judge_a, groups, a), linear(judge_b, groups, b))
        n_a, n_b = (int((~np.isnan(one.values)).sum()) for one in (a, b))
    own = float(np.nanmean(gaps)) if not np.isnan(gaps).all() else None
    counts = (len(groups), n_a, n_b, len(both), is_paired)
    if found is None:
        reason = "no label of one of the runs says that the metric applies"
        run, new = (Interval(target, "undefined", reason=reason) for target in TARGETS)
        return PoweredDifference(*counts, own, None, run, new, 0.0)
    run, new = (found.interval(target, (-1.0, 1.0), tested=True) for target in TARGETS)
    return PoweredDifference(*counts, own, found.point, run, new, found.weight)


def _apart(a: Linear | None, b: Linear | None) -> Linear | None:
    """The difference of two estimates whose labels were drawn independently."""
    if a is None or b is None:
        return None
    sums = a.sums - b.sums
    pairs = ((a.run, b.run), (a.new, b.new))
    parts = [
        Part(
            one.variance + other.variance,
            one.floor + other.floor,
            _joined_df(one, other),
            one.reason or other.reason,
        )
        for one, other in pairs
    ]
    return Linear(
        a.point - b.point,
        min(a.weight, b.weight),
        min(a.effective, b.effective),
        parts[0],
        structs.replace(parts[1], variance=float(sums @ sums)),
        sums,
        a.of_labels + b.of_labels,
        a.is_census and b.is_census,
    )


def _joined_df(a: Part, b: Part) -> float:
    """Satterthwaite's degrees of freedom of a sum; floors keep it defined without variance."""
    one, other = a.variance + a.floor, b.variance + b.floor
    if one + other == 0:
        return min(a.df, b.df)
    return (one + other) ** 2 / (one**2 / max(a.df, 1e-9) + other**2 / max(b.df, 1e-9))
