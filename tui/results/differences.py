"""The list of the turns behind a cell of a comparison, largest difference first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from engine.results.comparison import PairedScore, RunComparison
from engine.results.queries import PairsQuery
from store.runs import predictions
from store.runs.predictions import PairedPrediction
from tui.results.keys import ACTIONS
from tui.results.selection import Selection
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.shell.actions import bindings
from tui.widgets.line import TextLines
from tui.widgets.matrix import short_value, signed_value
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

COLUMNS = (
    Column("A - B", 6, "right"),
    Column("A", 5, "right"),
    Column("B", 5, "right"),
    Column("question", minimum=26),
    Column("turn", 4, drop=3),
    Column("answer of A", minimum=24, drop=1),
    Column("answer of B", minimum=24, drop=2),
)


class PairSource:
    """Paired turns by number, in the order given; the texts are read a block at a time."""

    def __init__(self, host: Host, view: RunComparison, pairs: Sequence[PairedScore]) -> None:
        self._host = host
        self._runs = (view.a.id, view.b.id)
        self.pairs = pairs

    def count(self) -> int:
        return len(self.pairs)

    def rows(self, start: int, stop: int) -> Sequence[Row]:
        wanted = self.pairs[start:stop]
        turns = [(pair.revision_id, pair.turn) for pair in wanted]
        found = self._host.read(lambda db: predictions.paired(db, *self._runs, turns)) or ()
        return [
            _row(start + index, pair, texts)
            for index, (pair, texts) in enumerate(zip(wanted, found, strict=False))
        ]


def _row(index: int, pair: PairedScore, texts: PairedPrediction) -> Row:
    turn = f"{pair.turn + 1}/{texts.turns}" if texts.turns > 1 else ""
    is_equal = pair.a == pair.b
    return Row(
        index,
        (
            Cell(_signed(pair.a - pair.b), "muted" if is_equal else "strong"),
            _value(pair.a),
            _value(pair.b),
            texts.question.replace("\n", " "),
            Cell(turn, "muted"),
            Cell((texts.answer_a or "").replace("\n", " "), "muted"),
            Cell((texts.answer_b or "").replace("\n", " "), "muted"),
        ),
    )


def _value(value: float) -> str:
    return short_value(value) if abs(value) <= 1 else f"{value:,.0f}"


def _signed(value: float) -> str:
    return signed_value(value) if abs(value) <= 1 else f"{value:+,.0f}"


class DifferencesScreen(PlaceScreen):
    PLACE = "items"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("items", ACTIONS)]

    def __init__(
        self, view: RunComparison, pairs: PairsQuery, labels: tuple[str, ...] = ()
    ) -> None:
        super().__init__()
        self.view = view
        self._asked = pairs
        self.labels = labels
        self.title_lines = TextLines(1, id="caption")
        self.list = Rows(ListSource(), COLUMNS, empty="Reading the items.", id="items")
        self.pairs: Sequence[PairedScore] = ()

    def compose_body(self) -> Iterator[Widget]:
        yield self.title_lines
        yield self.list

    def context(self) -> tuple[str, ...]:
        runs = f"{self.view.a.name} (A) - {self.view.b.name} (B)"
        return (runs, self.view.metric.label, *self.labels)

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()
        self.host.ask("reading the items", self._asked, self._show, group="items")

    @property
    def where(self) -> str:
        return " x ".join(self.labels) or "all cells"

    def _show(self, pairs: Sequence[PairedScore]) -> None:
        self.pairs = pairs
        what = "questions" if len(pairs) != 1 else "question"
        said = f"   {len(pairs):,} {what}, the largest difference first"
        self.title_lines.show([[(self.where, "strong"), (said, "muted")]])
        self.list.set_source(PairSource(self.host, self.view, pairs))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        """Open the answer of A among the others of this list."""
        from tui.results.item import ItemScreen

        turns = [(pair.revision_id, pair.turn) for pair in self.pairs]
        found = self.host.read(
            lambda db: predictions.paired(db, self.view.a.id, self.view.b.id, turns)
        )
        if not found:
            return
        of = self._asked.comparison.of
        selection = Selection(
            self.view.a.id,
            self.view.a.name,
            self.view.metric,
            of.rows,
            of.cols,
            self._asked.row,
            self._asked.col,
            self.labels,
        )
        ids = [one.id_a for one in found]
        self.app.push_screen(ItemScreen(selection, ids, message.index), self._came_back)

    def _came_back(self, index: int | None) -> None:
        if index is not None:
            self.list.move_to(index)
