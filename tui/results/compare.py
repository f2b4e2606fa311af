"""The comparison of two runs as a heat map with tests of the differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from engine.results.comparison import RunComparison
from engine.results.queries import ComparisonQuery, PairsQuery
from engine.text.wrapping import wrap
from tui.results.comparison_map import difference_format, difference_matrix, verdict_texts
from tui.results.keys import ACTIONS
from tui.screens.place import PlaceScreen
from tui.shell.actions import bindings
from tui.widgets.heatmap import HeatMap
from tui.widgets.line import Piece
from tui.widgets.text_lines import TextLines

MARGIN = 4
NOTHING = "No question has a value in both runs. Esc, then m: another metric."


class CompareScreen(PlaceScreen):
    """Asks for the comparison when it is opened; a comparison does not change while it is read."""

    PLACE = "compare"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("compare", ACTIONS)]

    def __init__(self, query: ComparisonQuery) -> None:
        super().__init__()
        self.asked = query
        self.verdict = TextLines(1, id="caption")
        self.map = HeatMap(empty="Comparing.", id="map")
        self.view: RunComparison | None = None

    def compose_body(self) -> Iterator[Widget]:
        yield self.verdict
        yield self.map

    def context(self) -> tuple[str, ...]:
        if self.view is None:
            return super().context()
        return (f"{self.view.a.name} (A) - {self.view.b.name} (B)", self.view.metric.label)

    def on_mount(self) -> None:
        super().on_mount()
        self.map.focus()
        self.host.ask("comparing the runs", self.asked, self._show, group="comparison")

    def _show(self, view: RunComparison) -> None:
        self.view = view
        self._lay_verdict()
        self.map.show(difference_matrix(view), difference_format(view), empty=NOTHING)
        self.show_where()

    def on_resize(self, event: events.Resize) -> None:
        self._lay_verdict()

    def _lay_verdict(self) -> None:
        if self.view is None:
            return
        width = max(self.app.size.width - MARGIN, 20)
        lines: list[list[Piece]] = []
        for text, role in zip(verdict_texts(self.view), ("strong", "", "muted"), strict=True):
            lines += [[(text[start:end], role)] for start, end in wrap(text, width)]
        self.verdict.styles.height = len(lines)
        self.verdict.show(lines)

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        if self.view is None:
            return
        if not message.cell.n:
            self.host.show_problem("No item of this cell is compared.", is_trouble=False)
            return
        from tui.results.differences import DifferencesScreen

        labels = [
            dict(zip(axis.keys, axis.labels, strict=True)).get(key or "", "")
            for axis, key in ((self.view.rows, message.row), (self.view.cols, message.column))
        ]
        query = PairsQuery(self.asked, message.row, message.column)
        self.app.push_screen(DifferencesScreen(self.view, query, tuple(filter(None, labels))))
