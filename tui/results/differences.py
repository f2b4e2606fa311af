"""The list of the turns behind a cell of a comparison, largest difference first."""

from __future__ import annotations

from collections.abc import Sequence

from engine.report.labels import metric_label
from engine.results.comparison import PairedScore, RunComparison
from engine.results.queries import PairsQuery
from store.messages import plural
from store.runs import predictions
from store.runs.predictions import PairedPrediction
from tui.language import language, tr
from tui.results.items import TurnList, open_item
from tui.results.selection import Selection, compare_words
from tui.screens.host import Host, host_of
from tui.widgets.matrix import short_value, signed_value
from tui.widgets.row_source import Cell, Column, Row
from tui.widgets.rows import Rows

COLUMNS = (
    Column("A - B", 6, "right"),
    Column("A", 5, "right"),
    Column("B", 5, "right"),
    Column("question", minimum=26),
    Column("turn", 4, drop=3),
    Column(tr("answer of A"), minimum=24, drop=1),
    Column(tr("answer of B"), minimum=24, drop=2),
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
        texts_of = self._host.read(lambda db: predictions.paired(db, *self._runs, turns)) or ()
        return [
            _row(start + index, pair, texts)
            for index, (pair, texts) in enumerate(zip(wanted, texts_of, strict=False))
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


def open_pair(
    turns: Rows, view: RunComparison, asked: PairsQuery, pairs: Sequence[PairedScore], index: int
) -> None:
    """Opens the answer of A to a turn of a list, among the others of the list."""
    numbers = [(pair.revision_id, pair.turn) for pair in pairs]
    paired = host_of(turns).read(lambda db: predictions.paired(db, view.a.id, view.b.id, numbers))
    if paired:
        selection = Selection(
            view.a.id,
            view.a.name,
            view.metric,
            view.rows.name,
            view.cols.name,
            asked.row,
            asked.col,
            cell_labels(view, asked.row, asked.col),
        )
        open_item(turns, selection, [texts.id_a for texts in paired], index)


def cell_labels(view: RunComparison, row: str | None, column: str | None) -> tuple[str, ...]:
    """The names of the row and the column of a cell, for people; of all rows or columns none."""
    labels = [
        axis.by_key.get(key or "", "") for axis, key in ((view.rows, row), (view.cols, column))
    ]
    return tuple(filter(None, labels))


class DifferencesScreen(TurnList):
    def __init__(self, view: RunComparison, pairs: PairsQuery) -> None:
        super().__init__(COLUMNS)
        self.view = view
        self._asked = pairs
        self.labels = cell_labels(view, pairs.row, pairs.col)
        self.pairs: Sequence[PairedScore] = ()

    def context(self) -> tuple[str, ...]:
        runs = f"{self.view.a.name} (A) - {self.view.b.name} (B)"
        return (runs, metric_label(self.view.metric, language()), *self.labels)

    def command(self) -> Sequence[str]:
        return compare_words(self.view)

    def on_mount(self) -> None:
        super().on_mount()
        self.host.ask(tr("reading the items"), self._asked, self._show, group="items")

    def _show(self, pairs: Sequence[PairedScore]) -> None:
        self.pairs = pairs
        what = tr(
            "{questions}, the largest difference first", questions=plural(len(pairs), "question")
        )
        self.show_title(" x ".join(self.labels) or tr("all cells"), what)
        self.list.set_source(PairSource(self.host, self.view, pairs))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        open_pair(self.list, self.view, self._asked, self.pairs, message.index)
