"""What the scores of a run can be laid out by: its stored axes, and those that are computed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from engine.results import blamed, derived, difficulty_axes, evidence_axes
from engine.results.blame import AXIS as BLAME
from store.records import ScoreRow
from store.runs import predictions, results
from store.runs.predictions import PredictionKey
from store.runs.results import MetricKey
from store.runs.runs import Run

_PLAIN = "topic"
"""A stored axis, asked for in the place of a computed one."""

Values = Mapping[PredictionKey, str]
"""The key of each prediction of a run on an axis."""


def axes(db: sqlite3.Connection, run: Run) -> list[str]:
    """The names of all axes of a run; a facet of an item goes before what is computed."""
    return list(dict.fromkeys([*item_axes(db, run), BLAME]))


def item_axes(db: sqlite3.Connection, run: Run) -> list[str]:
    """The axes of the items of a run, whatever its answers."""
    computed = (*difficulty_axes.names(db, run), *evidence_axes.NAMES)
    return list(dict.fromkeys([*results.axes(db, run.id), *computed]))


def score_rows(
    db: sqlite3.Connection, run: Run, key: MetricKey, rows: str, cols: str
) -> list[ScoreRow]:
    """Every prediction of a run with its cell and its value of a metric, by any of its axes."""
    by = _computed(db, run, (rows, cols))
    plain = [_PLAIN if name in by else name for name in (rows, cols)]
    return [
        _placed(row, by.get(rows), by.get(cols)) for row in derived.score_rows(db, run, key, *plain)
    ]


def cell_prediction_ids(
    db: sqlite3.Connection,
    run: Run,
    metric: MetricKey,
    rows: str,
    cols: str,
    row: str | None,
    col: str | None,
    *,
    worst_is_high: bool = False,
) -> list[int]:
    """The predictions of a cell by any axes, worst value first; see the function of the store."""
    wanted = {name: key for name, key in ((rows, row), (cols, col)) if key is not None}
    by = _computed(db, run, wanted)
    stored = [
        (_PLAIN, None) if name in by else (name, key) for name, key in ((rows, row), (cols, col))
    ]
    ids = results.cell_prediction_ids(
        db,
        run.id,
        metric,
        rows=stored[0][0],
        cols=stored[1][0],
        row=stored[0][1],
        col=stored[1][1],
        worst_is_high=worst_is_high,
    )
    if not by:
        return ids
    kept = {
        one.id
        for key, one in predictions.by_key(db, run.id).items()
        if all(values[key] == wanted[name] for name, values in by.items())
    }
    return [number for number in ids if number in kept]


def _computed(db: sqlite3.Connection, run: Run, names: Iterable[str]) -> dict[str, Values]:
    """The keys of all predictions on those of the axes that are computed."""
    stored = {*results.axes(db, run.id)} - {*evidence_axes.NAMES}
    return {name: _values(name)(db, run) for name in names if name not in stored}


def _values(name: str) -> Callable[[sqlite3.Connection, Run], Values]:
    if name == BLAME:
        return blamed.by_blame
    if name in evidence_axes.NAMES:
        return lambda db, run: evidence_axes.values(db, run, name)
    return lambda db, run: difficulty_axes.values(db, run, name)


def _placed(row: ScoreRow, by_row: Values | None, by_col: Values | None) -> ScoreRow:
    key = (row.revision_id, row.turn, row.repeat)
    return replace(
        row,
        row=row.row if by_row is None else by_row[key],
        col=row.col if by_col is None else by_col[key],
    )
