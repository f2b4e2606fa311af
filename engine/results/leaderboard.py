"""Several runs on one metric: their means, and which of them can be told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from engine.results.comparison import Leaderboard, Standing
from engine.statistics.bootstrap import resampled_means
from engine.statistics.difference import Pair, adjusted, measure
from engine.statistics.inference import MIN_GROUPS, Difference, Settings, TurnState, Verdict
from engine.statistics.means import mean_interval
from engine.statistics.pairing import CommonSet, clusters, common_set
from store.records import ScoreRow

_DEFAULT = Settings()


def leaderboard(
    runs: Mapping[str, Iterable[ScoreRow]],
    *,
    higher_is_better: bool | None = True,
    settings: Settings = _DEFAULT,
) -> Leaderboard:
    """Ranks runs by their mean over the turns that all of them have a value for.

    Two runs are told apart when the sign-flip test between them, with Holm's adjustment over all
    pairs, says so. Raises ValueError without a run, or for rows that contradict each other.
    """
    if not runs:
        raise ValueError("a leaderboard needs a run")
    names = sorted(runs)
    common = common_set([runs[name] for name in names])
    order = _best_first(common, higher_is_better)
    names = [names[place] for place in order]
    values = common.values[:, order]
    clustered = clusters(common)
    folded = clustered.folded(settings.seed)
    sums, groups = folded.sums[:, order], len(clustered.sizes)
    means = None
    if groups >= MIN_GROUPS:
        means = resampled_means(sums, folded.sizes, settings.seed, settings.resamples)
    places = list(combinations(range(len(names)), 2))
    differences = [
        measure(
            Pair(values[:, i], values[:, j], groups),
            sums[:, i] - sums[:, j],
            None if means is None else means[:, i] - means[:, j],
            higher_is_better,
            settings,
        )
        for i, j in places
    ]
    differences = adjusted(differences, higher_is_better, settings)
    apart = [place for place, gap in zip(places, differences, strict=True) if _tells_apart(gap)]
    tiers = indistinguishable(len(names), apart)
    return Leaderboard(
        items=len(values),
        groups=groups,
        standings=tuple(
            Standing(
                name,
                float(values[:, place].mean()) if len(values) else None,
                *mean_interval(
                    sums[:, place],
                    folded.sizes,
                    bool(np.isin(values[:, place], (0.0, 1.0)).all()),
                    settings,
                ),
                tuple(number for number, tier in enumerate(tiers) if place in tier),
            )
            for place, name in enumerate(names)
        ),
        pairs={(names[i], names[j]): gap for (i, j), gap in zip(places, differences, strict=True)},
        tiers=tuple(tuple(names[place] for place in tier) for tier in tiers),
        left_out=_left_out(names, order, common),
        higher_is_better=higher_is_better,
        settings=settings,
    )


def indistinguishable(runs: int, apart: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The largest sets of 0 ... runs - 1 that hold none of the pairs told `apart`, in order.

    Insert and absorb (Piepho 2004, "An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons", JCGS 13:2): begin with one set of all; for each pair, split every set that holds
    both into one without the first and one without the second, and drop sets inside others.
    """
    sets = [frozenset(range(runs))]
    for pair in apart:
        split = {
            part
            for whole in sets
            for part in ([whole - {one} for one in pair] if whole.issuperset(pair) else [whole])
        }
        sets = [one for one in split if not any(one < other for other in split)]
    return sorted(tuple(sorted(one)) for one in sets)


def _best_first(common: CommonSet, higher_is_better: bool | None) -> list[int]:
    """Columns by mean, best first; equal means stay in order."""
    if not len(common.values):
        return list(range(common.values.shape[1]))
    means = common.values.mean(axis=0)
    order = np.argsort(means if higher_is_better is False else -means, kind="stable")
    return [int(place) for place in order]


def _tells_apart(difference: Difference) -> bool:
    return difference.verdict not in (Verdict.NO_DIFFERENCE, Verdict.TOO_FEW)


def _left_out(
    names: Sequence[str], order: Sequence[int], common: CommonSet
) -> dict[str, dict[TurnState, int]]:
    counts: dict[str, Counter[TurnState]] = {name: Counter() for name in names}
    for sides, n in common.left_out.items():
        for name, place in zip(names, order, strict=True):
            if sides[place] is not TurnState.OK:
                counts[name][sides[place]] += n
    return {name: dict(sorted(count.items())) for name, count in counts.items()}
