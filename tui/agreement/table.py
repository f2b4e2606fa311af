"""The agreement of raters as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.labelling.agreement_records import Agreement
from engine.report.agreement import (
    field_text,
    figure_text,
    interval_text,
    part_text,
    short,
    statistic,
)
from engine.statistics.aggregation import SMALL_CELL
from tui.widgets.row_source import Cell, Column, Row

FIGURE, INTERVAL = 5, 11
SHOWN = ("raw", "kappa", "quadratic", "alpha", "ac1", "linear", "ordinal", "ac2", "spearman")
"""The columns; from the fifth on they go where it is narrow."""
ALWAYS = 5
_HEADS = {"quadratic": "quad.", "linear": "lin.", "ordinal": "ord.", "spearman": "Spear."}
TIMES = " x "
"""Between the topic and the task of a cell."""

Names = Mapping[str, str]
"""What topics and tasks are called, by key."""


def row_key(one: Agreement) -> str:
    return f"{one.group}\t{one.field}\t{one.part}"


def columns(by: str) -> tuple[Column, ...]:
    """The columns of a table; a grouped one begins with its groups."""
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


def lines(found: Iterable[Agreement], by: str, names: Names) -> list[Row]:
    """A line for each; in grey what has too few subjects to be read as a result."""
    return [_line(one, by, names) for one in found]


def _line(one: Agreement, by: str, names: Names) -> Row:
    quiet = "muted" if one.n < SMALL_CELL else ""
    group = () if by == "metric" else (Cell(group_text(one.group, by, names), quiet),)
    figures: list[str | Cell] = []
    for name in SHOWN:
        found = statistic(one, name)
        figures.append(Cell(short(figure_text(found)), quiet))
        if name == "kappa":
            figures.append(Cell(short(interval_text(found)), "muted"))
    return Row(
        row_key(one),
        (
            *group,
            Cell(field_text(one.field), quiet or "strong"),
            Cell(part_text(one.part), "muted"),
            Cell(f"{one.n:,}", quiet),
            *figures,
        ),
    )


def group_text(group: str, by: str, names: Names) -> str:
    """What a group is called: a topic and a task by their names, two raters with a sign."""
    if by == "pair":
        return group.replace(" ", " / ")
    return TIMES.join(names.get(part, part) for part in group.split(TIMES))
