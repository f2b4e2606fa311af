"""A table with a row per run and OmniEval's nine measures as columns."""

from __future__ import annotations

from msgspec import Struct

from engine.statistics.aggregation import SMALL_CELL
from store.records import Lang


class TableCell(Struct, frozen=True):
    """The mean over all turns of a run that have a value, on [0, 1]."""

    mean: float | None = None
    """Null where the metric does not apply, or was not computed."""
    low: float | None = None
    """Ends of the 95 % interval."""
    high: float | None = None
    n: int = 0
    groups: int = 0
    """Groups that the values are from."""
    coverage: float | None = None
    """Share of the turns that it applies to which have a value."""

    @property
    def is_small(self) -> bool:
        return 0 < self.groups < SMALL_CELL


class TableRow(Struct, frozen=True):
    """A run with its means."""

    run_id: int
    run: str
    retriever: str | None
    """Null for closed-book."""
    generator: str
    baseline: bool
    dataset: str
    """`NAME@V`."""
    cells: tuple[TableCell, ...]
    """One for each of the table's columns."""


class RunTable(Struct, frozen=True):
    """Runs as rows, with OmniEval's nine measures as columns."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    judges: tuple[str, ...]
    """Whose judgements are behind ACC to NAC; empty when there are none."""
    variant: str
    """Of the measures that need no judge."""
    lang: Lang
    """Of most items of the first run."""
