"""Agreement of raters as a heat map of topics by tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.labelling.agreement_records import Agreement, By, Part
from engine.report.agreement import reason_text, statistic
from engine.statistics.aggregation import SMALL_CELL
from tui.agreement.table import TIMES, Names
from tui.widgets.matrix import Heading, HeatCell, Matrix


def heat_map(
    found: Mapping[By, Sequence[Agreement]], field: str, part: Part, name: str, names: Names
) -> Matrix:
    """One statistic of one metric over topics and tasks; margins are over all of a topic, of a
    task, and of everything, not means of cells."""

    def kept(by: By) -> dict[str, Agreement]:
        return {
            one.group: one for one in found.get(by, ()) if (one.field, one.part) == (field, part)
        }

    cells, topics, tasks = kept("cell"), kept("topic"), kept("task")
    whole = kept("metric").get("")

    def body(topic: str, task: str) -> HeatCell:
        return heat_cell(cells.get(f"{topic}{TIMES}{task}"), name, is_body=True)

    return Matrix(
        rows=tuple(Heading(key, names.get(key, key)) for key in topics),
        columns=tuple(Heading(key, names.get(key, key)) for key in tasks),
        cells=tuple(tuple(body(topic, task) for task in tasks) for topic in topics),
        row_totals=tuple(heat_cell(one, name) for one in topics.values()),
        column_totals=tuple(heat_cell(one, name) for one in tasks.values()),
        total=heat_cell(whole, name),
    )


def heat_cell(one: Agreement | None, name: str, *, is_body: bool = False) -> HeatCell:
    """A figure as a cell; small where few subjects have two raters."""
    found = statistic(one, name) if one is not None else None
    if one is None or found is None:
        return HeatCell()
    has_interval = found.low is not None and found.high is not None
    return HeatCell(
        found.value,
        one.n,
        found.value if is_body else None,
        one.n < SMALL_CELL,
        (found.high - found.low) / 2 if has_interval else None,  # type: ignore[operator]
        reason_text(found),
    )
