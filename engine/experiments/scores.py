"""The scores of an experiment's arms, by side."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from engine.judge.registry import metric_spec
from engine.results.axes import item_axes
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import unit_scores
from store.errors import NotFound
from store.messages import no_such
from store.records import ScoreRow
from store.runs import runs
from store.runs.experiments import Arm

By = str
"""What an outcome is told apart by: an axis of the items."""


def metric_query(text: str) -> MetricQuery:
    """The metric that `NAME`, `VARIANT:NAME` or `JUDGE/NAME` names."""
    judge, slash, rest = text.rpartition("/")
    variant, _, name = rest.rpartition(":")
    return MetricQuery(name, variant or None, judge if slash else None)


def arm_scores(
    db: sqlite3.Connection, arms: Iterable[Arm], metric: str, by: By = "task"
) -> dict[str, list[ScoreRow]]:
    """The score rows of every arm that has the metric, by the arm's name; a row of theirs is a part
    of the axis `by`. Raises NotFound for an unknown axis."""
    query = metric_query(metric)
    rows = {}
    for arm in arms:
        if arm.run_id is None:
            continue
        run = runs.get(db, arm.run_id)
        if by not in (known := item_axes(db, run)):
            raise no_such("axis", by, known, "Axes")
        try:
            rows[arm.name] = unit_scores(db, run, query.key(db, run.id), by, "task")
        except NotFound:  # not scored so far, or not at this depth
            continue
    return rows


def of_items(
    rows: dict[str, list[ScoreRow]], keys: set[str], part: str | None = None
) -> dict[str, list[ScoreRow]]:
    """The rows of some items, and of one part of the axis where it is named."""
    return {
        arm: [row for row in own if row.item_key in keys and part in (None, row.row)]
        for arm, own in rows.items()
    }


def higher_is_better(db: sqlite3.Connection, arms: Sequence[Arm], metric: str) -> bool | None:
    """The direction of a metric; as higher is better where no arm has it."""
    query = metric_query(metric)
    for arm in arms:
        if arm.run_id is not None:
            try:
                key = query.key(db, arm.run_id)
            except NotFound:
                continue
            return metric_spec(key.name, key.variant).higher_is_better
    return True
