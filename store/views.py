"""Reads the documented views of the workspace file, `v1_*`, as records."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec

from store.errors import UsageError
from store.messages import choices

_ORDERS = {
    "runs": "run_id",
    "predictions": "run, prediction_id",
    "scores": "run, prediction_id, judge, judge_hash, variant, metric, judge_repeat",
    "items": "dataset, item",
    "labels": "form, subject_kind, subject, rater, field",
}
"""The name of each view without `v1_`, with what its rows are in the order of."""

_JSON = ("config", "settings", "golden_answers", "retrieved", "content", "value", "details")
"""Columns that hold JSON where they hold text."""


def rows(db: sqlite3.Connection, view: str, **wanted: Any) -> Iterator[dict[str, Any]]:
    """The rows of `v1_VIEW` whose columns have the `wanted` values, JSON read, in a fixed order.

    Raises UsageError for a column that the view lacks.
    """
    names = columns(db, view)
    for name in wanted:
        if name not in names:
            raise UsageError(f"{view} have no column {name!r}.", choices(name, names, "They have"))
    where = " AND ".join(f'"{name}" IS ?' for name in wanted) or "1"
    selected = db.execute(
        f"SELECT * FROM v1_{view} WHERE {where} ORDER BY {_ORDERS[view]}", tuple(wanted.values())
    )
    for row in selected:
        yield {name: _read(name, value) for name, value in zip(names, row, strict=True)}


def columns(db: sqlite3.Connection, view: str) -> list[str]:
    """The columns of `v1_VIEW`, in order."""
    return [name for _, name, *_ in db.execute(f"PRAGMA table_info(v1_{view})")]


def _read(name: str, value: Any) -> Any:
    return msgspec.json.decode(value) if name in _JSON and isinstance(value, str) else value
