"""Means of scores: over samples with an interval, over cells, and as OmniEval computes them.

The headline is the mean over samples (items or turns). Its interval is a percentile bootstrap that
resamples whole groups (dialogue, source document, question), because the samples of one group are
not independent. Only scores whose state is `ok` have a value; the others are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from store.records import ScoreState

if TYPE_CHECKING:
    import numpy as np

RESAMPLES = 2000
SMALL_CELL = 20
"""A cell with fewer values than this is too small to read a difference from."""
LOW_COVERAGE = 0.95
"""A mean with less coverage than this needs a warning beside it."""

_DRAWS_AT_ONCE = 2_000_000  # bounds memory at 16 MB, whatever the number of groups


class Summary(Struct, frozen=True):
    """A mean with its sample sizes and its confidence interval."""

    mean: float | None
    """Null when no score has a value."""
    low: float | None
    """Ends of the interval; null with fewer than two groups, which show no spread."""
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
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Summary:
    """Mean over the samples that have a value, with a bootstrap interval over groups.

    The three sequences run in parallel, one entry a sample; `states[i]` is ok exactly when
    `values[i]` is a finite number, else ValueError. Each resample draws as many groups as there
    are, with replacement; its statistic is the mean over the samples of the drawn groups, and the
    interval lies between the (1 - level) / 2 quantiles at both ends. The same seed gives the same
    interval, in whatever order the rows come.
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
    if len(sums) < 2:
        return Summary(mean, None, None, n, len(sums))
    low, high = _interval(sums, sizes, seed, resamples, level)
    return Summary(mean, low, high, n, len(sums))


def macro_mean(cells: Iterable[Summary]) -> float | None:
    """The unweighted mean of the cells' means; cells without a value are left out."""
    means = [cell.mean for cell in cells if cell.mean is not None]
    return math.fsum(means) / len(means) if means else None


def _interval(
    sums: Sequence[float], sizes: Sequence[int], seed: int, resamples: int, level: float
) -> tuple[float, float]:
    import numpy as np

    tail = (1 - level) / 2
    means = _resampled_means(np.array(sums), np.array(sizes), seed, resamples)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def _resampled_means(
    sums: np.ndarray[tuple[int], np.dtype[np.float64]],
    sizes: np.ndarray[tuple[int], np.dtype[np.int64]],
    seed: int,
    resamples: int,
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """`resamples` means over the samples of randomly drawn groups."""
    import numpy as np

    random = np.random.default_rng(seed)
    means = np.empty(resamples)
    rows = max(1, _DRAWS_AT_ONCE // len(sums))
    for start in range(0, resamples, rows):
        stop = min(start + rows, resamples)
        drawn = random.integers(len(sums), size=(stop - start, len(sums)))
        means[start:stop] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return means
