"""The turns behind the cell under the cursor of a heat map, listed under it on a tall screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from textual.containers import Container
from textual.timer import Timer
from textual.widget import Widget

from tui.widgets.heading import SectionLine
from tui.widgets.heatmap import HeatMap
from tui.widgets.row_source import Column, ListSource, RowSource
from tui.widgets.rows import Rows

REST_SECONDS = 0.2
"""The cursor rests so long on a cell before its turns are read."""


class MapAndTurns(Container):
    """A heat map, and on a tall screen under it a list; Tab goes there.

    On a short screen the map has all lines, and nothing is read for the list.
    """

    SCOPED_CSS = False  # the height that matters is the screen's
    DEFAULT_CSS = """
    MapAndTurns { height: 1fr; }
    MapAndTurns SectionLine, MapAndTurns Rows { display: none; }
    .-tall MapAndTurns HeatMap { height: auto; max-height: 70%; }
    .-tall MapAndTurns SectionLine { display: block; margin-top: 1; }
    .-tall MapAndTurns Rows { display: block; }
    """

    def __init__(self, heat_map: HeatMap, columns: Sequence[Column]) -> None:
        super().__init__()
        self._map = heat_map
        self._title = SectionLine("")
        self.list = Rows(ListSource(), columns)
        self._timer: Timer | None = None

    def compose(self) -> Iterator[Widget]:
        yield self._map
        yield self._title
        yield self.list

    def step_back(self) -> bool:
        """Goes from the list back to the map; False where one is not in the list."""
        if not self.list.has_focus:
            return False
        self._map.focus()
        return True

    def follow(self, read: Callable[[], None]) -> None:
        """Has the turns of another cell read, once the cursor has rested on it."""
        if self._timer is not None:
            self._timer.stop()
        if self.list.display:
            self._timer = self.set_timer(REST_SECONDS, read)

    def show(self, where: str, what: str, turns: RowSource) -> None:
        """Shows the turns of a cell, under a line that says which."""
        self._title.show(where, what)
        self.list.set_source(turns)
