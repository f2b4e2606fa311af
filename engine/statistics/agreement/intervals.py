"""Confidence intervals of coefficients by resampling whole groups of subjects.

How the resamples are made (`resampled`) was chosen by simulation. Share of nominal 95 % intervals
that hold the true figure, two raters, 100 groups of one subject; the last column is for raters who
differ on one subject in ten, and then by one place of five:

    kappa                               .9 quadratic    .8 plain    .97 quadratic
                                      3 even values  92 and 8 %    5 even values
    bootstrap, expanded percentile             90.2        91.9             95.1
    bootstrap, BCa                             90.3        94.2
    jackknife, Student's t                     88.8        88.3
      on the scale log(1 - kappa)              89.4        89.6
      on Fisher's z                            89.6        90.0
      on the arcsine                           89.7        91.5
    Bayesian bootstrap                         87.7        90.7
      with 2 subjects of chance's table        95.1        91.7
      with a Dirichlet prior of 2 / q^2        95.7        96.0             86.4
      with one group answered at random        94.9        96.1             95.7

Where raters nearly always agree, what moves kappa most may not have been seen: of 100 subjects of
the first column, two are expected on which the raters are two values apart, and in one of nine
samples there is none. What looks at the sample alone then puts the upper end of disagreement too
low, on any scale. What is added must hold every kind of disagreement, but rarely: spread thinly
over all resamples it biases weighted kappas of raters who only ever differ by one place.
docs/agreement.md holds all designs; `pytest -m slow tests/test_engine_agreement_intervals.py`
repeats those of 100 groups.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import structs

from engine.statistics.agreement.counts import MISSING, Counts, count, encode, flat, summed, unflat
from engine.statistics.agreement.measures import Ratings, computed, described
from engine.statistics.agreement.statistic import Statistic
from engine.statistics.bootstrap import ends

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from engine.statistics.agreement.counts import Array, Codes

LEVEL = 0.05
FEWEST_GROUPS = 6
"""With fewer, resamples are too much alike."""
RESAMPLES = 999
_AT_ONCE = 32_768  # few enough to stay in a core's cache


def measures(
    ratings: Ratings,
    values: Sequence[Hashable],
    names: Iterable[str],
    groups: Sequence[Hashable],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Statistic]:
    """The named statistics of `ratings` (units x raters), each with its 95 % interval.

    `groups` says for each unit which group it is of; groups are weighted anew, whole. `resamples`
    0 leaves the intervals out. The same arguments give the same figures.
    """
    if not ratings:
        return {name: Statistic(None, "nobody has labelled it") for name in names}
    codes = encode(ratings, values)
    units = count(codes, len(values))
    total = summed(units)
    places = {group: at for at, group in enumerate(sorted(set(groups), key=str))}
    statistics = {
        name: described(name, float(computed(name, total, values)), total, values) for name in names
    }
    if resamples == 0:
        return statistics
    group_of = np.array([places[group] for group in groups], dtype=np.int64)
    compared = len(np.unique(group_of[units.pairable > 0]))
    reason = _why_none(total, values, compared)
    if reason:
        return {name: _without(statistic, reason) for name, statistic in statistics.items()}
    again = resampled(codes, units, group_of, np.random.default_rng(seed), resamples)
    tail = _tail(compared)
    return {
        name: _with_interval(statistic, computed(name, again, values, total), tail)
        for name, statistic in statistics.items()
    }


def resampled(
    codes: Codes, units: Counts, group_of: NDArray[np.int64], random: Generator, resamples: int
) -> Counts:
    """The sums of `units` in each resample of their groups, by a Bayesian bootstrap.

    Each group's weight is drawn from the exponential distribution (Rubin 1981, "The Bayesian
    Bootstrap", Annals of Statistics 9:1), and so is that of one group more, in which raters answer
    at random. That makes the resamples draws from what is to be believed of the population after a
    Dirichlet process prior worth one group (Hjort 1991, "Bayesian and Empirical Bayesian
    Bootstrapping"), close enough: a difference that nobody happened to have yet is possible, which
    a bootstrap of the groups alone rules out.
    """
    order = np.argsort(group_of, kind="stable")
    starts = np.flatnonzero(np.diff(group_of[order], prepend=-1))
    groups = len(starts)
    sums = np.add.reduceat(flat(units)[order], starts)
    weight = random.standard_exponential((resamples, 1))
    size = units.shares.shape[-1]
    drawn = weight * _answered_at_random(codes, units, group_of, size, random, resamples)
    at_once = max(1, _AT_ONCE // groups)
    for begin in range(0, resamples, at_once):
        end = min(begin + at_once, resamples)
        weights = random.standard_exponential((end - begin, groups))
        drawn[begin:end] += weights @ sums
        weight[begin:end] += weights.sum(1, keepdims=True)
    return unflat(drawn * (groups / weight), units)


def _answered_at_random(
    codes: Codes,
    units: Counts,
    group_of: NDArray[np.int64],
    size: int,
    random: Generator,
    number: int,
) -> Array:
    """Sums of `number` groups, each with the subjects and raters of one of those that there are, in
    which all give any of the values that anybody gave, each as often.

    Subjects with one rating say nothing of agreement and are left out. Subjects of a group that
    were rated alike are alike here too: else a group of many like ones would hardly differ from
    the average of them.
    """
    seen = np.unique(codes[codes != MISSING])
    order = np.lexsort((*codes.T, group_of))
    order = order[units.pairable[order] > 0]
    codes, group_of = codes[order], group_of[order]
    starts = np.flatnonzero(np.diff(group_of, prepend=-1))
    keys = np.column_stack([group_of, codes])
    alike = np.cumsum((np.diff(keys, axis=0, prepend=MISSING - 1) != 0).any(axis=1)) - 1
    times = math.ceil(number / len(starts))
    at_once = max(1, _AT_ONCE // codes.size)
    sums = []
    for begin in range(0, times, at_once):
        copies = min(at_once, times - begin)
        again = np.tile(codes, (copies, 1))
        drawn = random.integers(len(seen), size=(copies, alike[-1] + 1, codes.shape[1]))
        values = seen[drawn[:, alike].reshape(again.shape)]
        rows = flat(count(np.where(again == MISSING, MISSING, values), size))
        begins = starts + len(codes) * np.arange(copies)[:, None]
        sums.append(np.add.reduceat(rows, begins.ravel()))
    return np.concatenate(sums)[:number]


def _tail(groups: int) -> float:
    """The share of resamples to leave out on either side: what lies beyond Student's t in a normal
    distribution, since means of few groups vary as t does.

    `engine.statistics.bootstrap.expanded_tail` also makes up for the variance that resamples of n
    groups lack, which is (n - 1) / (n + 2) of the unbiased one here. The group answered at random
    adds that much where raters agree better than chance, and more the better they do."""
    from scipy.special import ndtr, stdtrit

    return float(ndtr(stdtrit(groups - 1, LEVEL / 2)))


def _with_interval(one: Statistic, again: Array, tail: float) -> Statistic:
    if one.value is None:
        return one
    low, high = ends(again, tail)
    # the group answered at random draws all resamples a little towards chance
    return structs.replace(one, low=min(low, one.value), high=min(max(high, one.value), 1.0))


def _why_none(whole: Counts, values: Sequence[Hashable], groups: int) -> str:
    """The reason why there can be no interval; empty if there can be one."""
    if groups < FEWEST_GROUPS:
        return f"too few groups for an interval: {groups}"
    seen = [value for value, held in zip(values, whole.shares, strict=True) if held > 0]
    if len(seen) == 1:
        return f"no interval: all gave the value {seen[0]}, so nothing varies"
    return ""


def _without(one: Statistic, reason: str) -> Statistic:
    return one if one.value is None else structs.replace(one, interval_reason=reason)
