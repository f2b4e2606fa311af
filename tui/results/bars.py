"""The Bars screen: up to four runs of a dataset compared by topic or by task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from textual import events
from textual.widget import Widget

from engine.report.labels import metric_label
from engine.results.matrix import Axis, MatrixCell, RunMatrix
from engine.results.metric_order import spec_of
from engine.results.metric_query import MetricQuery
from engine.results.queries import MatrixQuery
from engine.statistics.aggregation import SMALL_CELL
from store.runs.results import MetricKey
from tui.language import language, tr
from tui.live.facts import WorkFact
from tui.results.heat_map import value_format
from tui.results.keys import ACTIONS
from tui.results.metric_labels import direction
from tui.results.selection import RUN_COLUMNS, run_row
from tui.screens.choose import Choose
from tui.screens.place import PlaceScreen
from tui.shell.theme import SIGNS
from tui.widgets.bars import bar_text
from tui.widgets.line import TextLines
from tui.widgets.matrix import FormatValue
from tui.widgets.row_source import Cell, Column, ListSource, Row, widest
from tui.widgets.rows import Rows

LABEL, NAME, VALUE, COUNT, INTERVAL = 14, 14, 7, 5, 11
BESIDE_BAR = LABEL + NAME + VALUE + COUNT + INTERVAL + 14
"""Cells that everything but the bar takes, gaps and margins among them."""
LEAST_BAR, LONGEST_BAR = 8, 60

By = Literal["topic", "task"]
MOST_RUNS = 4
STEPS = 1000


class BarsScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "bars"

    def __init__(self, runs: Sequence[WorkFact], metric: MetricKey) -> None:
        """`runs` are the runs to choose from; the first of them are shown."""
        super().__init__()
        self.runs = {fact.key: fact for fact in runs}
        self.chosen = list(self.runs)[:MOST_RUNS]
        self.metric = metric
        self.by: By = "topic"
        self.views: tuple[RunMatrix, ...] = ()
        self.caption = TextLines(1, id="caption")
        self.list = Rows(
            ListSource(),
            empty=tr("None of these runs has a value of this metric."),
            loading=tr("Computing the bars."),
            id="bars",
        )

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.list

    def context(self) -> tuple[str, ...]:
        return (metric_label(self.metric, language()), tr("by {by}", by=tr(self.by)))

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()
        self._ask()

    def on_resize(self, event: events.Resize) -> None:
        cursor = self.list.cursor
        self._show_rows()
        self.list.move_to(cursor)

    def _ask(self) -> None:
        calculator, query = self.host.calculator, MetricQuery.of(self.metric, lang=language())
        shown = [fact.run for name in self.chosen if (fact := self.runs[name]).run is not None]
        queries = [MatrixQuery(str(run.id), query) for run in shown]
        self.host.in_thread(
            tr("computing the bars"),
            lambda _: tuple(calculator.ask(query) for query in queries),
            self._show,
            group="bars",
        )

    def _show(self, views: tuple[RunMatrix, ...]) -> None:
        self.views = views
        note = tr(
            "   {direction}   ( ) fewer than {small_cell} groups",
            direction=direction(spec_of(self.metric)),
            small_cell=SMALL_CELL,
        )
        self.caption.show([[(metric_label(self.metric, language()), "strong"), (note, "muted")]])
        self._show_rows()
        self.show_where()

    def _show_rows(self) -> None:
        if not self.views:
            return
        room = self.app.size.width - BESIDE_BAR
        # runs are told apart by the ends of their names: these go before the length of bars
        names = max(widest([view.run.name for view in self.views]) - NAME, 0)
        names = min(names, max(room - LEAST_BAR, 0))
        width = min(max(room - names, LEAST_BAR), LONGEST_BAR)
        extra = max(room - names - width, 0)
        columns = (
            Column(self.by, LABEL + extra // 2),
            Column("run", NAME + names + extra // 2),
            Column("", width),
            Column("value", VALUE, "right"),
            Column("n", COUNT, "right"),
            Column("95 %", INTERVAL),
        )
        self.list.set_source(ListSource(bar_rows(self.views, self.by, width)), columns)

    def action_transpose(self) -> None:
        self.by = "task" if self.by == "topic" else "topic"
        self._show_rows()
        self.show_where()

    def action_pick_run(self) -> None:

        columns = (Column("", 1), *RUN_COLUMNS)
        self.host.question(
            Choose(tr("Show or hide a run"), columns, list(map(self._choice, self.runs.values()))),
            self._toggle,
        )

    def _choice(self, fact: WorkFact) -> Row:
        row = run_row(fact)
        sign = SIGNS.good if fact.key in self.chosen else ""
        return Row(row.key, (Cell(sign, "good"), *row.cells))

    def _toggle(self, key: str) -> None:
        if key not in self.chosen:
            if len(self.chosen) == MOST_RUNS:
                self.host.advise(
                    "At most {most_runs} runs fit side by side; take one away first (r).",
                    most_runs=MOST_RUNS,
                )
                return
            self.chosen.append(key)
        elif len(self.chosen) > 1:
            self.chosen.remove(key)
        self._ask()

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        from tui.results.items import ItemsScreen
        from tui.results.selection import selection_of

        run_id, key = row_key(message.row)
        view = next(view for view in self.views if view.run.id == run_id)
        row, column = (key, None) if self.by == "topic" else (None, key)
        self.app.push_screen(ItemsScreen(selection_of(view, row, column)))


def bar_rows(views: Sequence[RunMatrix], by: By, width: int) -> list[Row]:
    """A line for every topic (or task) and run, over all last; `width` is that of a bar.

    Topics without an answer of any run are left out. The views are of one metric and dataset.
    """
    columns = [_cells(view, by) for view in views]
    labels: dict[str, str] = {}
    for view in views:
        axis = _axis(view, by)
        labels |= axis.by_key
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
        interval = tr("{low} to {high}", low=write(summary.low), high=write(summary.high))
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
