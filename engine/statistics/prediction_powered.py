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
from msgspec import structs

from engine.statistics.draws import Labels
from engine.statistics.inference import MIN_GROUPS, Interval, Powered, PoweredDifference, Target
from engine.statistics.linearised import LEVEL, Linear, Part, linear
from engine.statistics.shares import by_verdict, is_rare, korn_graubard

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TARGETS: tuple[Target, Target] = ("run", "new")
FEWEST_PAIRED = 0.5
"""With a smaller share of the labelled questions labelled for both runs, each has its own mean."""

MANY_LABELS, MANY_GROUPS = 100, 100
"""Up to so many labels, and from so many groups on, the interval of a rare event over questions
like these holds as it should (docs/trust.md)."""


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
        _rare_groups(groups[labels.at[applies]], labels.values[applies]),
    )


def _rare_groups(groups: Ints, values: Floats) -> int | None:
    """The groups that hold the rarer of 0 and 1 where they are fewer than `MIN_GROUPS` though
    labels are many for the groups: what varies between groups is then hardly seen."""
    if len(values) <= MANY_LABELS or len(np.unique(groups)) >= MANY_GROUPS:
        return None
    if not np.isin(values, (0.0, 1.0)).all():
        return None
    rarer = values == (0.0 if values.mean() > 0.5 else 1.0)
    holding = len(np.unique(groups[rarer]))
    return holding if holding < MIN_GROUPS else None


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


def powered_difference(
    judge_a: Floats, judge_b: Floats, groups: Ints, a: Labels, b: Labels
) -> PoweredDifference:
    """The difference of two runs, a minus b, over the questions that both answered.

    Where most labelled questions have labels of both answers, drawn together, the estimate is over
    their differences, which is the sharper one; else it is the difference of two means whose
    labels were drawn apart.
    """
    gaps = judge_a - judge_b
    together = _together(a, b)
    found = linear_difference(judge_a, judge_b, groups, a, b)
    n_a, n_b = (
        int((~np.isnan(one.values)).sum())
        for one in ((a, b) if together is None else [together] * 2)
    )
    own = float(np.nanmean(gaps)) if not np.isnan(gaps).all() else None
    both = len(np.intersect1d(a.at, b.at))
    counts = (len(groups), n_a, n_b, both, together is not None)
    if found is None:
        reason = "no label of one of the runs says that the metric applies"
        run, new = (Interval(target, "undefined", reason=reason) for target in TARGETS)
        return PoweredDifference(*counts, own, None, run, new, 0.0)
    run, new = (found.interval(target, (-1.0, 1.0), tested=True) for target in TARGETS)
    return PoweredDifference(*counts, own, found.point, run, new, found.weight)


def linear_difference(
    judge_a: Floats, judge_b: Floats, groups: Ints, a: Labels, b: Labels
) -> Linear | None:
    """The estimate behind `powered_difference`; None where one run has no label with a value."""
    together = _together(a, b)
    if together is not None:
        found = linear(judge_a - judge_b, groups, together)
        # of two answers each may be missed by half the scale, as in two means
        return (
            None
            if found is None
            else structs.replace(
                found,
                run=structs.replace(found.run, floor=2 * found.run.floor),
                new=structs.replace(found.new, floor=2 * found.new.floor),
            )
        )
    return _apart(linear(judge_a, groups, a), linear(judge_b, groups, b))


def _together(a: Labels, b: Labels) -> Labels | None:
    """The labels of the differences; None where too few answers were labelled together."""
    both, in_a, in_b = np.intersect1d(a.at, b.at, return_indices=True)
    if len(both) < FEWEST_PAIRED * max(len(a.at), len(b.at), 1):
        return None
    # drawn apart, the chance of both would be another
    factors = a.weights[in_a] / b.weights[in_b]
    if not np.allclose(factors, factors[0]):
        return None
    return structs.replace(
        a,
        at=both,
        values=a.values[in_a] - b.values[in_b],
        weights=a.weights[in_a],
        spread=None if a.spread is None else a.spread[in_a],
    )


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
