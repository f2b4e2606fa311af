"""Means of scores: over samples with an interval, over cells, and as OmniEval computes them.

The headline is the mean over samples (items or turns). Its interval is over whole groups (dialogue,
source document, question), because the samples of one group are not independent. Only scores whose
state is `ok` have a value; the others are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from engine.statistics.inference import Settings
from store.records import ScoreState

SMALL_CELL = 20
"""A cell with fewer groups than this is too small to read a difference from."""
LOW_COVERAGE = 0.95
"""A mean with less coverage than this needs a warning beside it."""

_DEFAULT = Settings()


class Summary(Struct, frozen=True):
    """A mean with its sample sizes and its confidence interval."""

    mean: float | None
    """Null when no score has a value."""
    low: float | None
    """Ends of the interval; null with fewer than `MIN_GROUPS` groups."""
    high: float | None
    n: dict[ScoreState, int]
    """Number of scores in every state, zeros included."""
    groups: int
    """Groups that hold at least one value."""

    @property
    def n_ok(self) -> int:
        return self.n[ScoreState.OK]

    @property
    def coverage(self) -> float | None:
        """Share of the scores that apply (all but `na`) which have a value; null if none apply."""
        applicable = sum(self.n.values()) - self.n[ScoreState.NA]
        return self.n_ok / applicable if applicable else None


def summarise(
    values: Sequence[float | None],
    states: Sequence[ScoreState],
    groups: Sequence[str],
    *,
    settings: Settings = _DEFAULT,
) -> Summary:
    """Mean over the samples that have a value, with its interval over groups.

    The three sequences run in parallel, one entry a sample; `states[i]` is ok exactly when
    `values[i]` is a finite number, else ValueError. The same settings give the same interval, in
    whatever order the rows come.
    """
    n = dict.fromkeys(ScoreState, 0)
    by_group: dict[str, list[float]] = {}
    for value, state, group in zip(values, states, groups, strict=True):
        n[state] += 1
        if (state is ScoreState.OK) != (value is not None and math.isfinite(value)):
            raise ValueError(f"a score in state {state} cannot have the value {value}")
        if value is not None:
            by_group.setdefault(group, []).append(value)
    if not by_group:
        return Summary(None, None, None, n, 0)
    # exact sums in a fixed order of groups make the result independent of the order of rows
    sums = [math.fsum(by_group[group]) for group in sorted(by_group)]
    sizes = [len(by_group[group]) for group in sorted(by_group)]
    mean = math.fsum(sums) / sum(sizes)
    low, high = _interval(by_group, sums, sizes, settings)
    return Summary(mean, low, high, n, len(sums))


def macro_mean(cells: Iterable[Summary]) -> float | None:
    """The unweighted mean of the cells' means; cells without a value are left out."""
    means = [cell.mean for cell in cells if cell.mean is not None]
    return math.fsum(means) / len(means) if means else None


def _interval(
    by_group: Mapping[str, Sequence[float]],
    sums: Sequence[float],
    sizes: Sequence[int],
    settings: Settings,
) -> tuple[float | None, float | None]:
    import numpy as np

    from engine.statistics.means import mean_interval
    from engine.statistics.pairing import Clusters

    clusters = Clusters(np.array(sums)[:, None], np.array(sizes, dtype=np.float64))
    folded = clusters.folded(settings.seed)
    are_shares = all(value in (0.0, 1.0) for values in by_group.values() for value in values)
    return mean_interval(folded.sums[:, 0], folded.sizes, are_shares, settings)
