"""Intervals of coefficients by resampling whole groups, since subjects of a group hang together.

The interval is the expanded percentile interval of `engine.comparison.bootstrap`. Share of nominal
95 % intervals that cover the true kappa of two raters, 4,000 repetitions of 999 resamples each,
one subject a group (`pytest -m slow tests/test_engine_agreement_intervals.py` repeats the first
column for 100 groups):

    raters with                         kappa       groups  percentile  expanded  BCa
    3 even values                       .6             100        94.5      95.0  95.0
                                                        50        94.5      95.7  95.6
                                                        20        92.2      95.3  95.0
    the same                            .6 quadratic   100        93.9      94.2  95.3
                                                        50        93.5      94.3  95.7
                                                        20        89.0      91.6  90.0
    values of 70, 20, 10 %              .6             100        95.0      95.3  96.1
                                                        50        94.7      95.4  97.0
                                                        20        91.3      93.2  95.8
    the same                            .6 quadratic   100        93.9      94.3  95.8
                                                        50        92.5      93.3  94.4
                                                        20        88.7      91.7  91.1
    values of 90, 10 %                  .6             100        93.5      93.9  98.0
                                                        50        90.4      91.0  93.8
                                                        20        57.9      57.9  57.9
    values of 92, 8 %                   .8             100        91.7      91.9  94.2
                                                        50        74.1      74.2  75.0
    3 even values                       .9             100        95.0      95.3  95.3
                                                        50        87.5      90.0  94.3
                                                        20        73.2      73.5  73.1
    the same                            .9 quadratic   100        90.1      90.2  90.3
                                                        50        79.0      79.6  87.6

Where nearly all subjects agree, or a value hardly occurs, no interval knows more than the few
disagreements it saw: it is too narrow with any method, Fisher's z and the studentised included.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from msgspec import structs

from engine.agreement.counts import count, encode, flat, summed, unflat
from engine.agreement.measures import Ratings, computed, described
from engine.agreement.records import Statistic
from engine.comparison.bootstrap import interval, resampled_means

LEVEL = 0.05
FEWEST_GROUPS = 6
"""With fewer, resamples are too much alike."""
RESAMPLES = 999
MOST_UNDEFINED = 0.05
"""With a larger share of resamples without a figure, the rest say nothing about it."""


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

    `groups` says for each unit which group it is of; groups are drawn anew, whole, with
    replacement. `resamples` 0 leaves the intervals out. The same arguments give the same figures.
    """
    if not ratings:
        return {name: Statistic(None, "nobody has labelled it") for name in names}
    units = count(encode(ratings, values), len(values))
    whole = summed(units)
    places = {group: at for at, group in enumerate(sorted(set(groups), key=str))}
    found = {
        name: described(name, float(computed(name, whole, values)), whole, values) for name in names
    }
    if resamples == 0:
        return found
    if len(places) < FEWEST_GROUPS:
        reason = f"too few groups for an interval: {len(places)}"
        return {name: _without(one, reason) for name, one in found.items()}
    rows = flat(units)
    sums = np.zeros((len(places), rows.shape[1]))
    np.add.at(sums, [places[group] for group in groups], rows)
    drawn = resampled_means(sums, np.ones(len(places)), seed, resamples) * len(places)
    again = unflat(drawn, units)
    return {
        name: _with_interval(one, computed(name, again, values), len(places))
        for name, one in found.items()
    }


def _with_interval(one: Statistic, resampled: np.ndarray, groups: int) -> Statistic:
    if one.value is None:
        return one
    known = resampled[~np.isnan(resampled)]
    lost = 1 - len(known) / len(resampled)
    if lost > MOST_UNDEFINED:
        return _without(one, f"undefined in {math.ceil(100 * lost)} % of the resamples")
    low, high = interval(known, groups, LEVEL)
    return structs.replace(one, low=low, high=high)


def _without(one: Statistic, reason: str) -> Statistic:
    return one if one.value is None else structs.replace(one, interval_reason=reason)
