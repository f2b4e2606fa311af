"""The agreement of raters as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.labelling.figures.agreement_records import POOLED, Agreement, Part
from engine.report.agreement import (
    field_text,
    figure_text,
    interval_text,
    short,
    statistic,
)
from engine.statistics.aggregation import SMALL_CELL
from tui.language import later, read, tr
from tui.widgets.row_source import Cell, Column, Row

FIGURE, INTERVAL = 5, 11
SHOWN = ("raw", "kappa", "quadratic", "alpha", "ac1", "linear", "ordinal", "ac2", "spearman")
"""The columns; from the fifth on they go where it is narrow."""
ALWAYS = 5
_HEADS = {
    "quadratic": later("quad."),
    "linear": later("lin."),
    "ordinal": later("ord."),
    "spearman": later("Spear."),
}
TIMES = " x "
"""Between the topic and the task of a cell."""

Names = Mapping[str, str]
"""What topics and tasks are called, by key."""


def row_key(agreement: Agreement) -> str:
    return f"{agreement.group}\t{agreement.field}\t{agreement.part}"


def columns(by: str) -> tuple[Column, ...]:
    """Returns the columns of a table; one with groups begins with the group."""
    heads = {"pair": "raters", "again": "rater"}
    group = () if by == "metric" else (Column(heads.get(by, by), minimum=10),)
    figures: list[Column] = []
    for at, name in enumerate(SHOWN):
        drop = max(at - ALWAYS + 2, 0) if at >= ALWAYS else 0
        head = _HEADS.get(name, name)
        figures.append(Column(head, max(FIGURE, len(head)), "right", drop=drop))
        if name == "kappa":
            figures.append(Column("95 %", INTERVAL, drop=1 if by != "metric" else 0))
    return (
        *group,
        Column("metric", minimum=13),
        Column("of", 8),
        Column("n", 4, "right"),
        *figures,
    )


def lines(agreements: Iterable[Agreement], by: str, names: Names) -> list[Row]:
    """Returns a row for each agreement; those with too few subjects are grey."""
    return [_line(agreement, by, names) for agreement in agreements]


def _line(agreement: Agreement, by: str, names: Names) -> Row:
    quiet = "muted" if agreement.groups < SMALL_CELL else ""
    group = () if by == "metric" else (Cell(group_text(agreement.group, by, names), quiet),)
    figures: list[str | Cell] = []
    for name in SHOWN:
        figure = statistic(agreement, name)
        figures.append(Cell(short(figure_text(figure)), quiet))
        if name == "kappa":
            figures.append(Cell(read(short(interval_text(figure))), "muted"))
    return Row(
        row_key(agreement),
        (
            *group,
            Cell(metric_text(agreement.field), quiet or "strong"),
            Cell(part_text(agreement.part), "muted"),
            Cell(f"{agreement.n:,}", quiet),
            *figures,
        ),
    )


def metric_text(field: str) -> str:
    """Returns the name of a field, or what the row over all fields is called."""
    return tr("all pooled") if field == POOLED else field_text(field)


def part_text(part: Part) -> str:
    """Returns what of a field raters agree on: whether it applies, or its value."""
    return tr("applies?") if part == "applicability" else tr("value")


def group_text(group: str, by: str, names: Names) -> str:
    """Returns the label of a group: the names of topic and task, or the two raters."""
    if by == "pair":
        return group.replace(" ", " / ")
    return TIMES.join(names.get(part, part) for part in group.split(TIMES))
