"""The choice of the predictions that are listed: those of a cell, a margin or a matrix."""

from __future__ import annotations

from typing import NamedTuple

from engine.results.matrix import RunMatrix
from store.runs.results import MetricKey


class Selection(NamedTuple):
    """Which predictions are listed, and by which metric."""

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
    """What lies behind a cell of a matrix, or behind a margin."""
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
