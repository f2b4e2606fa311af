"""The list of the items of a cell, a row, a column or a run, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.widget import Widget

from engine.report.labels import metric_label
from engine.results import axes
from engine.results.metric_order import spec_of
from store.messages import plural
from store.runs import results, runs
from store.runs.results import MetricKey, PredictionRow
from store.workspace import Workspace
from tui.language import language, tr
from tui.results.keys import ACTIONS
from tui.results.metric_labels import score_text
from tui.results.selection import Selection, matrix_words
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.widgets.line import TextLines
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows


class PredictionSource:
    """Predictions by number, in the order given; the lines are read a block at a time."""

    def __init__(self, host: Host, metric: MetricKey, ids: Sequence[int]) -> None:
        self._host = host
        self._metric = metric
        self._spec = spec_of(metric)
        self.ids = ids

    def count(self) -> int:
        return len(self.ids)

    def rows(self, start: int, stop: int) -> Sequence[Row]:
        wanted = self.ids[start:stop]
        read = self._host.read(lambda db: results.prediction_rows(db, self._metric, wanted))
        return [self._row(prediction) for prediction in read or ()]

    def index_of(self, key: str | int) -> int | None:
        return self.ids.index(int(key)) if int(key) in self.ids else None

    def _row(self, one: PredictionRow) -> Row:
        text = score_text(self._spec, one.value, one.state)
        turn = f"{one.turn + 1}/{one.turns}" if one.turns > 1 else ""
        return Row(
            one.id,
            (
                Cell(text, "strong" if one.value is not None else "muted"),
                one.question.replace("\n", " "),
                Cell(turn, "muted"),
                Cell((one.answer or "").replace("\n", " "), "muted"),
                Cell(one.item_key, "muted"),
            ),
        )


def read_turns(workspace: Workspace, chosen: Selection) -> list[int]:
    """The numbers of the predictions behind a cell, the worst first."""
    return axes.cell_prediction_ids(
        workspace.db,
        runs.get(workspace.db, chosen.run_id),
        chosen.metric,
        chosen.rows,
        chosen.cols,
        chosen.row,
        chosen.col,
        worst_is_high=spec_of(chosen.metric).higher_is_better is False,
    )


def open_item(turns: Rows, selection: Selection, ids: Sequence[int], index: int) -> None:
    """Opens one of the predictions of a list; its cursor follows to the last one seen."""
    from tui.results.item import ItemScreen

    def came_back(last: int | None) -> None:
        if last is not None:
            turns.move_to(last)

    turns.app.push_screen(ItemScreen(selection, ids, index), came_back)


class TurnList(PlaceScreen, actions=ACTIONS):
    """A list of turns under a line that says which; Enter opens one answer among the others."""

    PLACE = "items"

    def __init__(self, columns: Sequence[Column]) -> None:
        super().__init__()
        self.title_lines = TextLines(1, id="caption")
        self.list = Rows(
            ListSource(),
            columns,
            empty=tr("No answer belongs here."),
            loading=tr("Reading the items."),
            id="items",
        )

    def compose_body(self) -> Iterator[Widget]:
        yield self.title_lines
        yield self.list

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()

    def show_title(self, where: str, what: str) -> None:
        """Shows the cell, and what is listed of it."""
        self.title_lines.show([[(where, "strong"), (f"   {what}", "muted")]])


COLUMNS = (
    Column("value", 8, "right"),
    Column(tr("question, worst first"), minimum=44),
    Column("turn", 4, drop=2),
    Column("answer", minimum=30, drop=1),
    Column("item", 24, drop=3),
)


class ItemsScreen(TurnList):
    def __init__(self, selection: Selection) -> None:
        super().__init__(COLUMNS)
        self.selection = selection
        self.ids: Sequence[int] = ()

    def context(self) -> tuple[str, ...]:
        chosen = self.selection
        return (chosen.run_name, metric_label(chosen.metric, language()), *chosen.labels)

    def command(self) -> Sequence[str]:
        chosen = self.selection
        return matrix_words(chosen.run_name, chosen.metric, chosen.rows, chosen.cols)

    def on_mount(self) -> None:
        super().on_mount()
        chosen = self.selection
        self.host.in_thread(
            tr("reading the items"),
            lambda workspace: read_turns(workspace, chosen),
            self._show,
            group="items",
        )

    def _show(self, ids: Sequence[int]) -> None:
        self.ids = ids
        chosen = self.selection
        self.show_title(
            chosen.where,
            tr(
                "{answers} by {label}",
                answers=plural(len(ids), "answer"),
                label=metric_label(chosen.metric, language()),
            ),
        )
        self.list.set_source(PredictionSource(self.host, chosen.metric, ids))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        open_item(self.list, self.selection, self.ids, message.index)
