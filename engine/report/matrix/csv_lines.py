"""A matrix as CSV in long form, one line a cell, so that files of several runs can be joined.

The columns, in their order:

- `run system baseline dataset metric direction judge`: the title, the same on every line;
  `baseline` is `yes` or `no`, `direction` is `higher`, `lower` or `none`.
- `level`: `cell`; `row` or `col` for a mean along an edge; `all` for the mean over all samples;
  `macro` for the mean of the cells' means, which has nothing but `mean`.
- `row_axis row row_label col_axis col col_label`: the keys and labels; empty where a level spans
  the axis.
- `mean low high`: the mean and the ends of its 95 % interval, in full precision; empty where
  there is none.
- `small`: `yes` with fewer than 20 values.
- `n_ok n_na n_unparsed n_out_of_range n_error n_missing n_pending`: scores in every state.
- `groups`: groups that hold a value, the units that the interval resamples.
- `coverage`: share of the scores that apply which have a value, 0 to 1; empty if none apply.

Cells without an item have their line too, with zeros and an empty mean.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.matrix.caption import Caption
from engine.report.matrix.figures import state_counts
from engine.report.matrix.labels import STATES
from engine.report.tables import csv_text
from engine.results.matrix import Axis, Matrix, MatrixCell

TITLE_COLUMNS = ("run", "system", "baseline", "dataset", "metric", "direction", "judge")
PLACE_COLUMNS = ("level", "row_axis", "row", "row_label", "col_axis", "col", "col_label")
FIGURE_COLUMNS = ("mean", "low", "high", "small")
COLUMNS = (
    *TITLE_COLUMNS,
    *PLACE_COLUMNS,
    *FIGURE_COLUMNS,
    *(f"n_{state}" for state in STATES),
    "groups",
    "coverage",
)


def render(matrix: Matrix, caption: Caption) -> str:
    """The CSV text with its header."""
    title = _title(matrix, caption)
    return csv_text(COLUMNS, ([*title, *line] for line in _lines(matrix)))


def _title(matrix: Matrix, caption: Caption) -> list[str]:
    direction = {True: "higher", False: "lower", None: "none"}[matrix.higher_is_better]
    baseline = "yes" if caption.baseline else "no"
    return [
        caption.run,
        caption.system,
        baseline,
        caption.dataset,
        caption.metric,
        direction,
        caption.judge,
    ]


def _lines(matrix: Matrix) -> Iterator[list[object]]:
    rows, cols = _places(matrix.rows), _places(matrix.cols)
    everywhere = ["", "", ""]
    for row, cells in zip(rows, matrix.cells, strict=True):
        for col, cell in zip(cols, cells, strict=True):
            yield ["cell", *row, *col, *_figures(cell)]
    for row, cell in zip(rows, matrix.row_totals, strict=True):
        yield ["row", *row, *everywhere, *_figures(cell)]
    for col, cell in zip(cols, matrix.col_totals, strict=True):
        yield ["col", *everywhere, *col, *_figures(cell)]
    yield ["all", *everywhere, *everywhere, *_figures(matrix.total)]
    nothing = [""] * (len(FIGURE_COLUMNS) - 1 + len(STATES) + 2)
    yield ["macro", *everywhere, *everywhere, matrix.macro, *nothing]


def _places(axis: Axis) -> list[list[str]]:
    return [[axis.name, key, label] for key, label in zip(axis.keys, axis.labels, strict=True)]


def _figures(cell: MatrixCell | None) -> list[object]:
    if cell is None:
        return ["", "", "", "yes", *(0 for _ in STATES), 0, ""]
    summary = cell.summary
    return [
        summary.mean,
        summary.low,
        summary.high,
        "yes" if cell.is_small else "no",
        *state_counts(cell).values(),
        summary.groups,
        summary.coverage,
    ]
