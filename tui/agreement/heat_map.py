"""Agreement of raters as a heat map of topics by tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.labelling.figures.agreement_records import Agreement, By, Part
from engine.report.agreement import reason_text, statistic
from engine.statistics.aggregation import SMALL_CELL
from tui.agreement.table import TIMES, Names
from tui.language import read
from tui.widgets.matrix import Heading, HeatCell, Matrix


def heat_map(
    agreements: Mapping[By, Sequence[Agreement]], field: str, part: Part, name: str, names: Names
) -> Matrix:
    """Returns one statistic of one metric over topics and tasks; a margin is computed from all
    labels of its topic or task and is not a mean of cells."""

    def kept(by: By) -> dict[str, Agreement]:
        return {
            agreement.group: agreement
            for agreement in agreements.get(by, ())
            if (agreement.field, agreement.part) == (field, part)
        }

    cells, topics, tasks = kept("cell"), kept("topic"), kept("task")
    overall = kept("metric").get("")

    def body(topic: str, task: str) -> HeatCell:
        return heat_cell(cells.get(f"{topic}{TIMES}{task}"), name, is_body=True)

    return Matrix(
        rows=tuple(Heading(key, names.get(key, key)) for key in topics),
        columns=tuple(Heading(key, names.get(key, key)) for key in tasks),
        cells=tuple(tuple(body(topic, task) for task in tasks) for topic in topics),
        row_totals=tuple(heat_cell(agreement, name) for agreement in topics.values()),
        column_totals=tuple(heat_cell(agreement, name) for agreement in tasks.values()),
        total=heat_cell(overall, name),
        is_signed=True,
    )


def heat_cell(agreement: Agreement | None, name: str, *, is_body: bool = False) -> HeatCell:
    """Returns a figure as a cell, marked small where few subjects have two raters."""
    figure = statistic(agreement, name) if agreement is not None else None
    if agreement is None or figure is None:
        return HeatCell()
    has_ends = figure.low is not None and figure.high is not None
    return HeatCell(
        figure.value,
        agreement.n,
        figure.value if is_body else None,
        agreement.groups < SMALL_CELL,
        (figure.low, figure.high) if has_ends else None,  # type: ignore[arg-type]
        read(reason_text(figure)),
    )
