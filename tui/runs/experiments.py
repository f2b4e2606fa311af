"""The experiments of the workspace: arms by metrics, what they cost, and which to take."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from engine.experiments.outcome import ArmOutcome, ExperimentOutcome, ExperimentQuery
from engine.experiments.scores import By
from engine.experiments.sentences import legend, mark, recommendation
from store.datasets import datasets
from store.runs import experiments
from tui.live.facts import Facts
from tui.runs.keys import ACTIONS
from tui.screens.place import PlaceScreen
from tui.shell.actions import bindings
from tui.widgets.line import Piece
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows
from tui.widgets.sheet import Sheet, wrapped

_LIST = (
    Column("experiment", minimum=20),
    Column("dataset", 20, drop=1),
    Column("design", 13),
    Column("arms", 5, "right"),
    Column("begun", 5, "right"),
)


class ExperimentsScreen(PlaceScreen):
    """Dismisses with the number of the run of the arm that was chosen, or None."""

    PLACE = "experiments"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("experiments", ACTIONS)]
    DEFAULT_CSS = """
    ExperimentsScreen #experiments { height: 20%; }
    ExperimentsScreen #arms { height: 1fr; }
    ExperimentsScreen #recommendations { height: 1fr; margin-top: 1; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.shown: ExperimentOutcome | None = None
        self._asked = ""
        self._by: By = "task"
        self.list = Rows(
            ListSource(),
            _LIST,
            empty="No experiment yet.",
            id="experiments",
        )
        self.arms = Rows(ListSource(), loading="Comparing the arms.", id="arms")
        self.words = Sheet(title="Recommendations", id="recommendations")

    def compose_body(self) -> Iterator[Widget]:
        yield self.list
        yield self.arms
        yield self.words

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        listed = self.host.read(
            lambda db: [
                Row(
                    one.name,
                    (
                        Cell(one.name, "strong"),
                        datasets.release_by_id(db, one.release_id).label,
                        str(one.design.get("how", "grid")),
                        str(len(one.arms)),
                        str(sum(arm.run_id is not None for arm in one.arms)),
                    ),
                )
                for one in experiments.listing(db)
            ]
        )
        self.list.replace_source(ListSource(listed or []))
        if before is None:
            self.list.focus()
        elif self._asked:
            self._ask(self._asked)

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        if message.rows is self.list and message.row is not None:
            name = str(message.row.key)
            if name != self._asked:
                self.arms.show_loading("Comparing the arms.")
                self._ask(name)

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        if message.rows is self.list:
            self.arms.focus()
        elif int(message.row.key) > 0:
            self.dismiss(int(message.row.key))

    def action_axes(self) -> None:
        self._by = "topic" if self._by == "task" else "task"
        if self._asked:
            self._ask(self._asked)

    def _ask(self, name: str) -> None:
        self._asked = name
        by = self._by
        calculator = self.host.calculator
        self.host.in_thread(
            "comparing the arms",
            lambda workspace: calculator.ask(ExperimentQuery(name, by)),
            self._show,
            group="experiment",
            exclusive=True,
        )

    def _show(self, result: ExperimentOutcome) -> None:
        if result.name != self._asked:
            return
        self.shown = result
        columns = arm_columns(result)
        rows = [arm_row(number, arm, result) for number, arm in enumerate(result.arms)]
        self.arms.replace_source(ListSource(rows), columns)
        self.words.show(lambda width: _words(result, width))
        self.show_where()


def _words(result: ExperimentOutcome, width: int) -> list[list[Piece]]:
    """What is recommended, line by line, and what the marks mean."""
    said = [wrapped(recommendation(one), width) for one in result.recommendations]
    return [*chain.from_iterable(said), *wrapped(legend(result), width, "muted")]


def arm_columns(result: ExperimentOutcome) -> tuple[Column, ...]:
    """The first metric, which chooses, has its interval; the later ones give way."""
    first, *rest = result.design.metrics
    return (
        Column("arm", minimum=20),
        Column(_heading(first), 6, "right"),
        Column("95 %", 12),
        *(Column(_heading(name), 6, "right", drop=2) for name in rest),
        Column("ms", 7, "right", drop=1),
        Column("tokens", 7, "right", drop=3),
        Column("cost", 7, "right", drop=3),
        Column("front", 5),
    )


def arm_row(number: int, arm: ArmOutcome, result: ExperimentOutcome) -> Row:
    """An arm; its key is its run, or a number below 0 where it has none yet."""
    marked = [
        "-" if value is None else f"{_short(value.mean)}{mark(value, arm.name == best)}"
        for value, best in zip(arm.values, result.chosen, strict=True)
    ]
    first = arm.values[0]
    interval = ""
    if first is not None and first.low is not None and first.high is not None:
        interval = f"{_short(first.low)} to {_short(first.high)}"
    cost = arm.cost
    return Row(
        arm.run_id or -1 - number,
        (
            Cell(arm.name, "strong"),
            Cell(marked[0], "strong"),
            Cell(interval, "muted"),
            *marked[1:],
            Cell(_number(cost.latency_ms if cost else None, ",.1f"), "muted"),
            Cell(_number(cost.tokens if cost else None, ",.0f"), "muted"),
            Cell(_number(cost.cost if cost else None, ".4f"), "muted"),
            "x" if arm.on_front else "",
        ),
    )


def _heading(metric: str) -> str:
    return metric.rpartition(":")[2].rpartition("/")[2][:6]


def _short(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
