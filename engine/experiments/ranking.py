"""Arms on one metric: means with intervals, and which can be told apart from the chosen one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from msgspec import Struct

from engine.statistics.bootstrap import resampled_means
from engine.statistics.difference import Pair, adjusted, measure
from engine.statistics.inference import MIN_GROUPS, Difference, Settings, Verdict
from engine.statistics.means import mean_interval
from engine.statistics.pairing import clusters, common_set
from store.records import ScoreRow

_DEFAULT = Settings()


class ArmValue(Struct, frozen=True):
    """An arm on a metric, over the turns that all compared arms have a value for."""

    mean: float
    low: float | None
    high: float | None
    difference: Difference | None
    """The chosen arm's value minus this one's, Holm's adjustment over the arms; null for the chosen
    one itself."""

    @property
    def few_groups(self) -> int | None:
        """How many groups the turns fall into where these are too few to tell any arms apart."""
        gap = self.difference
        return gap.groups if gap is not None and gap.groups < MIN_GROUPS else None

    @property
    def is_tied(self) -> bool:
        """Whether it is the chosen arm or not told apart from it."""
        return self.difference is None or self.difference.verdict in (
            Verdict.NO_DIFFERENCE,
            Verdict.TOO_FEW,
        )


def best_arm(
    arms: Mapping[str, Iterable[ScoreRow]], higher_is_better: bool | None
) -> tuple[str, dict[str, float]] | None:
    """The arm with the best mean over the turns that all have a value for (the first of equals),
    and all means; None where there is no such turn."""
    common = common_set(list(arms.values()))
    if not len(common.values):
        return None
    means = common.values.mean(axis=0)
    place = int(np.argmin(means) if higher_is_better is False else np.argmax(means))
    return list(arms)[place], dict(zip(arms, map(float, means), strict=True))


def against(
    chosen: str,
    arms: Mapping[str, Iterable[ScoreRow]],
    higher_is_better: bool | None,
    settings: Settings = _DEFAULT,
) -> tuple[dict[str, ArmValue], int]:
    """Every arm beside the chosen one, and the number of turns that all have a value for.

    The chosen one was chosen on other items, so each test is of one difference that was fixed
    before; Holm's adjustment is over the other arms.
    """
    names = list(arms)
    common = common_set([arms[name] for name in names])
    if not len(common.values):
        return {}, 0
    whole = clusters(common)
    folded = whole.folded(settings.seed)
    groups = len(whole.sizes)
    means = None
    if groups >= MIN_GROUPS:
        means = resampled_means(folded.sums, folded.sizes, settings.seed, settings.resamples)
    at = names.index(chosen)
    others = [place for place in range(len(names)) if place != at]
    differences = adjusted(
        (
            measure(
                Pair(common.values[:, at], common.values[:, place], groups),
                folded.sums[:, at] - folded.sums[:, place],
                None if means is None else means[:, at] - means[:, place],
                higher_is_better,
                settings,
            )
            for place in others
        ),
        higher_is_better,
        settings,
    )
    of_place = dict(zip(others, differences, strict=True))
    values = {}
    for place, name in enumerate(names):
        column = common.values[:, place]
        are_shares = bool(np.isin(column, (0.0, 1.0)).all())
        low, high = mean_interval(
            folded.sums[:, place],
            folded.sizes,
            are_shares,
            settings,
            None if means is None else means[:, place],
        )
        values[name] = ArmValue(float(column.mean()), low, high, of_place.get(place))
    return values, len(common.values)


def pareto_front(points: Mapping[str, tuple[float, ...]]) -> set[str]:
    """The names of points (higher is better in each part) that no other is at least as good as in
    all parts and better in one."""
    return {
        name
        for name, own in points.items()
        if not any(
            all(b >= a for a, b in zip(own, other, strict=True)) and other != own
            for other in points.values()
        )
    }
