"""The rows of the Bars screen: value, n and interval of each run for each topic or task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from engine.results.matrix import Axis, MatrixCell, RunMatrix
from tui.results.heat_map import value_format
from tui.widgets.bars import bar_text
from tui.widgets.matrix import FormatValue
from tui.widgets.row_source import Cell, Row

By = Literal["topic", "task"]
MOST_RUNS = 4
STEPS = 1000


def bar_rows(views: Sequence[RunMatrix], by: By, width: int) -> list[Row]:
    """A line for every topic (or task) and run, over all last; `width` is that of a bar.

    Topics without an answer of any run are left out. The views are of one metric and dataset.
    """
    columns = [_cells(view, by) for view in views]
    labels: dict[str, str] = {}
    for view in views:
        axis = _axis(view, by)
        labels |= dict(zip(axis.keys, axis.labels, strict=True))
    shown = [cell for column in columns for cell in column.values()]
    means = [cell.summary.mean for cell in shown if cell.summary.mean is not None]
    scale = max([1.0, *means])
    write = value_format(views[0].matrix) if scale == 1.0 else _plain
    rows: list[Row] = []
    for key in [*labels, ""]:
        cells = [
            view.matrix.total if not key else column.get(key)
            for view, column in zip(views, columns, strict=True)
        ]
        if not any(cell is not None and sum(cell.summary.n.values()) for cell in cells):
            continue
        label = labels.get(key, "all")
        for view, cell in zip(views, cells, strict=True):
            rows.append(_row(view, key, label, cell, scale, width, write))
            label = ""
    return rows


def row_key(row: Row) -> tuple[int, str | None]:
    """The run and the topic (or task) of a line; None for the line over all."""
    run, _, key = str(row.key).partition(" ")
    return int(run), key or None


def _plain(value: float) -> str:
    return f"{value:,.1f}"


def _axis(view: RunMatrix, by: By) -> Axis:
    return view.matrix.rows if by == "topic" else view.matrix.cols


def _cells(view: RunMatrix, by: By) -> dict[str, MatrixCell]:
    totals = view.matrix.row_totals if by == "topic" else view.matrix.col_totals
    return dict(zip(_axis(view, by).keys, totals, strict=True))


def _row(
    view: RunMatrix,
    key: str,
    label: str,
    cell: MatrixCell | None,
    scale: float,
    width: int,
    write: FormatValue,
) -> Row:
    name = Cell(view.run.name, "muted")
    identity = f"{view.run.id} {key}"
    if cell is None or cell.summary.mean is None:
        return Row(identity, (Cell(label, "strong"), name, "", Cell("-", "muted"), "", ""))
    summary = cell.summary
    assert summary.mean is not None
    value = f"({write(summary.mean)})" if cell.is_small else f"{write(summary.mean)} "
    interval = ""
    if summary.low is not None and summary.high is not None:
        interval = f"{write(summary.low)} to {write(summary.high)}"
    bar = bar_text(round(STEPS * summary.mean / scale), STEPS, width)
    role = "muted" if cell.is_small else ""
    return Row(
        identity,
        (
            Cell(label, "strong"),
            name,
            Cell(bar, "muted" if cell.is_small else "bar"),
            Cell(value, role or "strong"),
            Cell(f"{cell.n:,}", "muted"),
            Cell(interval, "muted"),
        ),
    )
