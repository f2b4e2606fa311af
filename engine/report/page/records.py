"""What a report is made of: figures that are computed already, and the items behind them."""

from __future__ import annotations

from msgspec import Struct

from engine.results.comparison import Leaderboard, RunComparison
from engine.results.matrix import Axis, RunMatrix
from store.records import Lang


class ReportMetric(Struct, frozen=True):
    """A metric that one or more of the runs have."""

    id: str
    """Its label, as `f1 (crud)`; unique within the report."""
    name: str
    """The same within its group: without the judge."""
    group: str
    """`judge rules` in the language of the report; `text`, `ranking`, or a variant."""
    direction: str
    """`higher is better`, in the language of the report."""
    higher_is_better: bool | None
    maximum: float | None
    """Of the scale as stored, which the page shows as 0 to 1; null without an upper end."""
    has_steps: bool
    """Whether values are shown as stored, `1/2`."""


class ReportItem(Struct, frozen=True, array_like=True):
    """A turn of an item that the runs have answered."""

    key: str
    turn: int
    turns: int
    repeat: int
    row: int
    """Places on the two axes."""
    col: int
    lang: Lang
    question: str
    golden: tuple[str, ...]
    evidence: tuple[tuple[str, str], ...]
    """The name of the document and the quote; empty for the whole document."""
    earlier: tuple[tuple[str, str], ...]
    """Questions of the earlier turns, each with its golden answer."""


class RetrievedPassage(Struct, frozen=True, array_like=True):
    place: int
    """Among the places of the report's passages."""
    score: float
    holds: tuple[int, ...]
    """The pieces of evidence that were found at this rank first, from 0."""


class ReportAnswer(Struct, frozen=True, array_like=True):
    """What a system made of an item."""

    state: str
    """`answered`, `refused`, `failed` or `pending`."""
    text: str | None
    error: str | None
    passages: tuple[RetrievedPassage, ...] | None
    """Null for a system that retrieves nothing, and where it has not come so far."""


class ReportRun(Struct, frozen=True):
    """A run with its answers, item by item in the order of the report's items."""

    name: str
    answers: list[ReportAnswer | None]
    """Null where the run lacks the item."""
    values: dict[str, list[float | str | None]]
    """For each metric a value on the scale of the matrices, or the state that says why there is
    none; null where the run lacks the item."""
    reasons: dict[str, dict[int, str]]
    """For each metric the reasons by item, where there are any."""


class Place(Struct, frozen=True):
    """A stretch of a document that was retrieved, in characters."""

    document: str
    start: int
    end: int


class Report(Struct, frozen=True):
    dataset: str
    """`NAME@V`."""
    lang: Lang
    rows: Axis
    cols: Axis
    metrics: tuple[ReportMetric, ...]
    """In the order in which they are offered."""
    first_metric: str
    """The one that is shown first."""
    boards: dict[str, Leaderboard]
    """By metric, over the runs that have it."""
    maps: dict[tuple[str, str], RunMatrix]
    """By run and metric."""
    comparisons: dict[tuple[str, str, str], RunComparison]
    """By the two runs and the metric."""
    compared_with_first: bool
    """Whether there are so many runs that each was compared with the first alone."""
    runs: tuple[ReportRun, ...]
    items: tuple[ReportItem, ...]
    places: tuple[Place, ...]
    """Every stretch that was retrieved, once."""
    names: dict[str, str]
    """What a document is called, by its id."""
    texts: dict[str, str] | None
    """By document; null where the page shall hold no passages."""
