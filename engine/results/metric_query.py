"""A metric of a run and the axes that its scores are laid out by, as a person names them."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from engine.results.derived import DERIVED, derived_key
from store.records import Lang
from store.runs import results
from store.runs.results import MetricKey


class MetricQuery(Struct, frozen=True):
    """A metric by two axes, as a person names them."""

    metric: str
    variant: str | None = None
    """None for the standard one, or for the only one that was computed."""
    judge: str | None = None
    """None where only one judge has scored the metric, or none has."""
    rows: str = "topic"
    cols: str = "task"
    lang: Lang | None = None
    """Of the labels; None for the language of most items."""

    @classmethod
    def of(
        cls, key: MetricKey, rows: str = "topic", cols: str = "task", *, lang: Lang | None = None
    ) -> MetricQuery:
        """The query for a metric that a run is known to have."""
        return cls(key.name, key.variant, key.judge, rows, cols, lang)

    def key(self, db: sqlite3.Connection, run_id: int) -> MetricKey:
        """The metric of a run; raises NotFound where the run has no such metric, and UsageError
        where several judges have scored it."""
        if self.variant in DERIVED:
            return derived_key(db, run_id, self.metric, self.variant)
        return results.find_metric(db, run_id, self.metric, self.variant, self.judge)
