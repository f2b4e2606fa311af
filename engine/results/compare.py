"""Two runs on one metric, overall and cell by cell."""

from __future__ import annotations

from collections.abc import Iterable

from engine.results.comparison_records import Comparison, LeftOut, Settings
from engine.results.difference import adjusted, difference
from engine.statistics.pairing import common_set
from store.runs.results import ScoreRow

_DEFAULT = Settings()


def compare(
    a: Iterable[ScoreRow],
    b: Iterable[ScoreRow],
    *,
    higher_is_better: bool | None = True,
    settings: Settings = _DEFAULT,
) -> Comparison:
    """Compares run `a` with run `b` by pairing them turn by turn.

    Only turns on which both have a value count; the others are counted by reason. A cell's figures
    are those that it has alone, except for Holm's adjustment over the cells. The result depends on
    neither the order of the rows nor anything but rows and settings, and swapping the runs negates
    it. `higher_is_better` is null for a metric without a direction. Raises ValueError for rows that
    contradict each other (see `pairing.common_set`).
    """
    common = common_set((a, b))
    by_cell = common.by_cell()
    cells = [difference(cell, higher_is_better, settings) for cell in by_cell.values()]
    return Comparison(
        overall=difference(common, higher_is_better, settings),
        cells=dict(zip(by_cell, adjusted(cells, higher_is_better, settings), strict=True)),
        left_out={LeftOut(*sides): n for sides, n in common.left_out.items()},
        higher_is_better=higher_is_better,
        settings=settings,
    )
