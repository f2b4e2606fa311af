"""The rows of the leaderboard and of OmniEval's table."""

from __future__ import annotations

from collections.abc import Mapping

from engine.report.run_table import CLOSED_BOOK, value_text
from engine.results.comparison import Leaderboard
from engine.results.table import RunTable
from tui.widgets.matrix import short_value
from tui.widgets.row_source import Cell, Column, Row

RANKED = (
    Column("", 3, "right"),
    Column("run", 36),
    Column("mean", 6, "right"),
    Column("95 %", 14),
    Column("tier", minimum=4),
)

SHORT = {"Rouge-L": "R-L"}
"""Headings that are too long for a column of four cells."""


def table_columns(table: RunTable) -> tuple[Column, ...]:
    """The run gives way where it is narrow: its system is what the paper's rows are headed by."""
    measures = (Column(SHORT.get(name, name), 4, "right") for name in table.columns)
    return (
        Column("retriever, generator", minimum=18),
        Column("run", minimum=24, drop=1),
        *measures,
    )


def ranked_rows(board: Leaderboard, ids: Mapping[str, int]) -> list[Row]:
    """Best first; `ids` gives the number of each run by its name."""
    rows = []
    for rank, standing in enumerate(board.standings, 1):
        interval = ""
        if standing.low is not None and standing.high is not None:
            interval = f"{_exact(standing.low)} to {_exact(standing.high)}"
        mean = "-" if standing.mean is None else _exact(standing.mean)
        rows.append(
            Row(
                ids[standing.run],
                (
                    Cell(str(rank), "muted"),
                    Cell(standing.run, "strong"),
                    Cell(mean, "strong"),
                    Cell(interval, "muted"),
                    standing.letters,
                ),
            )
        )
    return rows


def table_rows(table: RunTable) -> list[Row]:
    """A line a run, with two decimals; the command `table` gives more."""
    return [
        Row(
            row.run_id,
            (
                Cell(f"{row.retriever or CLOSED_BOOK}, {row.generator}", "strong"),
                Cell(row.run, "muted"),
                *(
                    Cell(value_text(cell, 2), "muted" if cell.is_small else "")
                    for cell in row.cells
                ),
            ),
        )
        for row in table.rows
    ]


def _exact(value: float) -> str:
    """One decimal more than `short_value`, as ranks hang on it; one for a metric without an end."""
    if abs(value) > 1:
        return f"{value:,.1f}"
    return short_value(value) if abs(value) == 1 else f"{value:.3f}".replace("0.", ".", 1)
