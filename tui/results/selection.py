"""The choice of the predictions that are listed: those of a cell, a margin or a matrix."""

from __future__ import annotations

from typing import NamedTuple

from engine.results.matrix import RunMatrix
from store.runs.results import MetricKey


class Selection(NamedTuple):
    """A set of predictions to list, and the metric to list them by."""

    run_id: int
    run_name: str
    metric: MetricKey
    rows: str
    cols: str
    row: str | None
    """None for every row."""
    col: str | None
    labels: tuple[str, ...] = ()
    """Of the row and the column, for people."""

    @property
    def where(self) -> str:
        return " x ".join(self.labels) or "all cells"


def selection_of(view: RunMatrix, row: str | None, column: str | None) -> Selection:
    """Returns the predictions behind a cell or a margin of a matrix."""
    matrix = view.matrix
    labels = [
        dict(zip(axis.keys, axis.labels, strict=True)).get(key or "", "")
        for axis, key in ((matrix.rows, row), (matrix.cols, column))
    ]
    return Selection(
        view.run.id,
        view.run.name,
        view.metric,
        matrix.rows.name,
        matrix.cols.name,
        row,
        column,
        tuple(filter(None, labels)),
    )
