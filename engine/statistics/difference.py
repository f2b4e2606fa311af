"""The difference between two runs on their common set: size, interval, tests and verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, structs

from engine.statistics.bootstrap import interval, resampled_means
from engine.statistics.inference import MIN_GROUPS, Difference, Settings, Verdict
from engine.statistics.pairing import CommonSet, clusters
from engine.statistics.significance import TIE, holm, least_p, mcnemar_p, sign_flip_p

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Pair(Struct, frozen=True):
    """Two runs' values, turn by turn."""

    a: NDArray[np.float64]
    b: NDArray[np.float64]
    groups: int


def _cleared(value: float | None) -> float | None:
    return 0.0 if value is not None and abs(value) <= TIE else value


def measure(
    pair: Pair,
    sums: NDArray[np.float64],
    resampled: NDArray[np.float64] | None,
    higher_is_better: bool | None,
    settings: Settings,
) -> Difference:
    """The difference a - b from its values, its sums by cluster and its resampled means.

    Without resampled means there is no interval. The verdict is by the unadjusted p.
    """
    if not len(pair.a):
        return _EMPTY
    ends = (None, None) if resampled is None else interval(resampled, len(sums), settings.level)
    p = sign_flip_p(sums, settings.seed, settings.resamples)
    mean_a, mean_b = float(pair.a.mean()), float(pair.b.mean())
    # summing in another order leaves traces around 1e-18, which must not read as a difference
    difference, low, high = (_cleared(end) for end in (mean_a - mean_b, *ends))
    gain = (pair.a - pair.b) * (-1 if higher_is_better is False else 1)
    wins, losses = int(np.sum(gain > TIE)), int(np.sum(gain < -TIE))
    return Difference(
        items=len(gain),
        groups=pair.groups,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=difference,
        low=low,
        high=high,
        p=p,
        p_holm=None,
        mcnemar=mcnemar_p(wins, losses) if _is_mcnemar(pair) else None,
        wins=wins,
        ties=len(gain) - wins - losses,
        losses=losses,
        verdict=_verdict(mean_a - mean_b, pair.groups, p, higher_is_better, settings.level),
        groups_differing=int(np.sum(np.abs(sums) > TIE)),
    )


def difference(common: CommonSet, higher_is_better: bool | None, settings: Settings) -> Difference:
    """Run 0 minus run 1 of a common set of two, without adjustment for several tests."""
    unfolded = clusters(common)
    folded = unfolded.folded(settings.seed)
    sums = folded.sums[:, 0] - folded.sums[:, 1]
    groups = len(unfolded.sizes)
    resampled = None
    if groups >= MIN_GROUPS:
        columns = resampled_means(sums[:, None], folded.sizes, settings.seed, settings.resamples)
        resampled = columns[:, 0]
    pair = Pair(common.values[:, 0], common.values[:, 1], groups)
    return measure(pair, sums, resampled, higher_is_better, settings)


def adjusted(
    differences: Iterable[Difference], higher_is_better: bool | None, settings: Settings
) -> list[Difference]:
    """The same differences with Holm's p over those that have enough groups, and its verdict.

    Which are tested depends on their number of groups only, never on a result, so the level holds.
    Among these, one counts against the others only where so few groups differing could give its p.
    """
    results = list(differences)
    tested = [
        place
        for place, result in enumerate(results)
        if result.p is not None and result.groups >= MIN_GROUPS
    ]
    least = [least_p(results[place].groups_differing) for place in tested]
    p_values = holm([results[place].p or 0.0 for place in tested], least)
    for place, p, best in zip(tested, p_values, holm(least, least), strict=True):
        result = results[place]
        verdict = _verdict(result.difference, result.groups, p, higher_is_better, settings.level)
        results[place] = structs.replace(result, p_holm=p, least_p_holm=best, verdict=verdict)
    return results


_EMPTY = Difference(
    items=0,
    groups=0,
    mean_a=None,
    mean_b=None,
    difference=None,
    low=None,
    high=None,
    p=None,
    p_holm=None,
    mcnemar=None,
    wins=0,
    ties=0,
    losses=0,
    verdict=Verdict.TOO_FEW,
)


def _verdict(
    difference: float | None, groups: int, p: float, higher_is_better: bool | None, level: float
) -> Verdict:
    if groups < MIN_GROUPS or difference is None:
        return Verdict.TOO_FEW
    if p > level:
        return Verdict.NO_DIFFERENCE
    a_is_higher = difference > 0
    if higher_is_better is None:
        return Verdict.A_HIGHER if a_is_higher else Verdict.B_HIGHER
    return Verdict.A_BETTER if a_is_higher == higher_is_better else Verdict.B_BETTER


def _is_mcnemar(pair: Pair) -> bool:
    return pair.groups == len(pair.a) and bool(
        np.isin(pair.a, (0.0, 1.0)).all() and np.isin(pair.b, (0.0, 1.0)).all()
    )
