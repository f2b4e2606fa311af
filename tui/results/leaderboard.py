"""The leaderboard of a dataset: its runs ranked on a metric, and OmniEval's table of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from textual import events
from textual.widget import Widget

from engine.report.comparison_sentences import tiers_sentence
from engine.report.corrected import order_sentence
from engine.report.labels import metric_label
from engine.report.run_table import CLOSED_BOOK, legend, value_text
from engine.results.comparison import Leaderboard
from engine.results.metric_order import spec_of
from engine.results.metric_query import MetricQuery
from engine.results.queries import LeaderboardQuery, TableQuery
from engine.results.table import RunTable
from store.messages import plural
from store.runs import results
from store.runs.results import MetricKey
from store.workspace import Workspace
from tui.calculator.calculator import Calculator
from tui.language import language, read, tr
from tui.live.facts import WorkFact
from tui.results.keys import ACTIONS
from tui.results.metric_labels import direction
from tui.results.selection import metric_words
from tui.screens.place import PlaceScreen
from tui.widgets.line import Piece, TextLines
from tui.widgets.matrix import short_value
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

MOST_RUNS = 24
"""Pairs grow with the square; the newest are ranked."""
MARGIN = 4

RANKED = (
    Column("", 3, "right"),
    Column("run", 36),
    Column("mean", 6, "right"),
    Column("95 %", 14),
    Column("tier", minimum=4),
)
SHORT = {"Rouge-L": "R-L"}
"""Headings that are too long for a column of four cells."""


class Ranked(NamedTuple):
    """The contents of the screen; without a board if fewer than two runs have the metric."""

    board: Leaderboard | None
    table: RunTable
    lacking: tuple[str, ...]
    """Runs without any value of the metric."""


class LeaderboardScreen(PlaceScreen, actions=ACTIONS):
    """Dismisses with the number of the run that was chosen, or None."""

    PLACE = "leaderboard"

    def __init__(self, runs: Sequence[WorkFact], metric: MetricKey) -> None:
        """`runs` are the runs of one dataset."""
        super().__init__()
        self.runs = {
            fact.run.name: fact.run.id for fact in runs[:MOST_RUNS] if fact.run is not None
        }
        self.metric = metric
        self.shown: Ranked | None = None
        self.caption = TextLines(1, id="caption")
        self.board = Rows(ListSource(), RANKED, loading=tr("Ranking the runs."), id="board")
        self.table = Rows(ListSource(), loading=tr("Computing the table."), id="table")
        self.legend = TextLines(1, id="table-legend")

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.board
        yield self.table
        yield self.legend

    def context(self) -> tuple[str, ...]:
        return (metric_label(self.metric, language()), read(plural(len(self.runs), "run")))

    def command(self) -> Sequence[str]:
        return ("leaderboard", *self.runs, *metric_words(self.metric))

    def on_mount(self) -> None:
        super().on_mount()
        self.board.focus()
        calculator, metric, runs = self.host.calculator, self.metric, self.runs
        self.host.in_thread(
            tr("ranking the runs"),
            lambda workspace: _rank(workspace, calculator, metric, runs),
            self._show,
            group="leaderboard",
        )

    def on_resize(self, event: events.Resize) -> None:
        self._lay_texts()

    def _show(self, shown: Ranked) -> None:
        self.shown = shown
        if shown.board is not None:
            self.board.set_source(ListSource(ranked_rows(shown.board, self.runs)))
        self.table.set_source(ListSource(table_rows(shown.table)), table_columns(shown.table))
        if shown.board is None:
            self.table.focus()
        self.board.styles.display = "block" if shown.board is not None else "none"
        self._lay_texts()
        self.show_where()

    def _lay_texts(self) -> None:
        if self.shown is None:
            return
        width = self.app.size.width - MARGIN
        self.caption.lay(
            [(metric_label(self.metric, language()), "strong"), *self._summary(self.shown)], width
        )
        self.legend.lay([(legend(self.shown.table, language()), "muted")], width)

    def _summary(self, shown: Ranked) -> list[Piece]:
        way = direction(spec_of(self.metric))
        board = shown.board
        if board is None:
            lines: list[Piece] = [
                (tr("{way}; a ranking needs two runs that have it.", way=way), "warn")
            ]
        else:
            basis = tr(
                "{way}; {turns} in {groups} that all runs have",
                way=way,
                turns=plural(board.items, "turn"),
                groups=plural(board.groups, "group"),
            )
            texts = filter(
                None, (tiers_sentence(board, language()), order_sentence(board, language()))
            )
            lines = [(basis, "muted"), *((text, "") for text in texts)]
        if shown.lacking:
            lines.append(
                (
                    tr(
                        "Without a value of this metric: {lacking}.",
                        lacking=", ".join(shown.lacking),
                    ),
                    "warn",
                )
            )
        return lines

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.dismiss(int(message.row.key))


def _rank(
    workspace: Workspace, calculator: Calculator, metric: MetricKey, runs: dict[str, int]
) -> Ranked:
    """The runs that have values of the metric ranked; all of them in the table.

    One without any, such as a closed-book run on a retrieval metric, would leave no question that
    all have. A table needs one judge: that of the metric, or the first that the runs have.
    """
    have = {name: results.metrics(workspace.db, run_id) for name, run_id in runs.items()}
    able = tuple(
        name
        for name, keys in have.items()
        if metric in keys and _has_value(workspace.db, runs[name], metric)
    )
    judges = sorted({key.judge for keys in have.values() for key in keys if key.judge})
    board = None
    if len(able) > 1:
        board = calculator.ask(LeaderboardQuery(able, MetricQuery.of(metric, lang=language())))
    judge = metric.judge or next(iter(judges), None)
    table = calculator.ask(TableQuery(tuple(runs), judge))
    return Ranked(board, table, tuple(name for name in runs if name not in able))


def _has_value(db: sqlite3.Connection, run_id: int, metric: MetricKey) -> bool:
    scored = results.score_rows(db, run_id, metric, "topic", "task")
    return any(row.value is not None for row in scored)


def table_columns(table: RunTable) -> tuple[Column, ...]:
    """The system gives way where it is narrow: several runs may have the same."""
    measures = (Column(SHORT.get(name, name), 4, "right") for name in table.columns)
    return (
        Column("run", minimum=18),
        Column(tr("retriever, generator"), minimum=24, drop=1),
        *measures,
    )


def ranked_rows(board: Leaderboard, ids: Mapping[str, int]) -> list[Row]:
    """Best first; `ids` gives the number of each run by its name."""
    rows = []
    for rank, standing in enumerate(board.standings, 1):
        interval = ""
        if standing.low is not None and standing.high is not None:
            interval = tr("{low} to {high}", low=_exact(standing.low), high=_exact(standing.high))
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
                Cell(row.run, "strong"),
                Cell(f"{row.retriever or CLOSED_BOOK}, {row.generator}", "muted"),
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
