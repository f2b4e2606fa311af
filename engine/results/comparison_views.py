"""A comparison of two runs with what is needed to show it."""

from __future__ import annotations

from msgspec import Struct

from engine.results.comparison_records import Comparison
from engine.results.matrix import Axis
from store.records import Lang
from store.runs.results import MetricKey
from store.runs.runs import Run


class RunComparison(Struct, frozen=True):
    """Two runs on one metric, cell by cell."""

    a: Run
    b: Run
    metric: MetricKey
    rows: Axis
    cols: Axis
    comparison: Comparison
    lang: Lang
    """Of the labels."""


class PairedScore(Struct, frozen=True):
    """A turn that both runs have a value for; repeats are averaged."""

    item_key: str
    revision_id: int
    turn: int
    a: float
    """On [0, 1] where the metric has an upper end, as is `b`."""
    b: float
