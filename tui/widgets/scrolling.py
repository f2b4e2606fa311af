"""Lines that scroll under a title line, among them tables that scroll sideways."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip

from engine.text.wrapping import cell_width, pad, truncate
from tui.language import tr
from tui.shell.theme import SIGNS
from tui.widgets.line import MARGIN, WHEEL, ContentLines, destination
from tui.widgets.tables import GridLine

LEAST_SOURCE = 8
"""Cells that what a text is known by needs to be said at all."""


class ScrollingLines(ContentLines, can_focus=True):
    """Lines that scroll under a title line, which shows the focus and which lines are in view.

    Subclasses fill `_lines` for the width at hand in `_lay_out`, and `_grid` with those of them
    that belong to tables, and draw them. The headings of a table stay above its rows.
    """

    @dataclass
    class Widened(Message):
        """A table that is wider than its place has come into view, or the last one has gone."""

        lines: ScrollingLines
        is_wide: bool

    def __init__(self, *, empty: str = "", loading: str = "", id: str | None = None) -> None:
        super().__init__(empty=empty, loading=loading, id=id)
        self._lines: Sequence[object] = ()
        self._grid: Mapping[int, GridLine] = {}
        self._top = 0
        self._first_column = 1
        """The column of wide tables that stands next to the first one."""
        self._was_wide = False
        self.yields: Callable[[str], bool] = _keeps
        """Called with a movement; True where another text has taken it."""

    @abstractmethod
    def _lay_out(self) -> None:
        """Lays the lines out again where the width has changed."""

    @property
    def is_wide(self) -> bool:
        """Whether a table in view is wider than its place."""
        return self._wide_line() is not None

    def action_move(self, where: str) -> None:
        if self.yields(where):
            return
        if where in ("left", "right"):
            self._move_sideways(1 if where == "right" else -1)
            return
        page = self._page - self._held()
        self._scroll(destination(where, self._top, page, len(self._lines)))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._scroll(self._top + WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._scroll(self._top - WHEEL)

    def on_focus(self) -> None:
        self.repaint_lines(0)

    def on_blur(self) -> None:
        self.repaint_lines(0)

    @property
    def _page(self) -> int:
        return max(self.size.height - 1, 1)

    def _scroll(self, top: int) -> None:
        self._lay_out()
        top = min(max(top, 0), max(len(self._lines) - self._page, 0))
        if top != self._top:
            self._top = top
            self.refresh()
        self._tell_width()

    # Tables

    def _move_sideways(self, by: int) -> None:
        """Scrolls the wide tables by a column, as far as those in view go."""
        self._lay_out()
        last = max((line.grid.last_first for line in self._wide_lines()), default=1)
        first = min(max(self._first_column + by, 1), last)
        if first != self._first_column:
            self._first_column = first
            self.refresh()

    def _wide_lines(self) -> list[GridLine]:
        if not self._grid:
            return []
        in_view = (self._grid.get(at) for at in range(self._top, self._top + self._page))
        return [line for line in in_view if line is not None and line.grid.is_wide]

    def _wide_line(self) -> GridLine | None:
        return next(iter(self._wide_lines()), None)

    def _tell_width(self) -> None:
        """Says when a wide table has come into view, or gone out of it."""
        if self.size.width and self.is_wide != self._was_wide:
            self._was_wide = is_wide = not self._was_wide
            # a message that is made while the screen draws does not rise past it
            self.call_later(lambda: self.post_message(self.Widened(self, is_wide)))

    def _held(self) -> int:
        """How many lines in view show the headings of the table that the first line is in."""
        first = self._grid.get(self._top)
        if first is None or first.is_heading or 3 * first.grid.headings > self._page:
            return 0
        return first.grid.headings

    def _index_at(self, y: int) -> int:
        """The number of the line that is drawn on a line of the widget, from 1 on."""
        index = self._top + y - 1
        held = self._held()
        if y <= held:
            grid = self._grid[self._top].grid
            line = self._grid.get(index)
            if line is not None and line.grid is grid:
                first = self._top
                while (before := self._grid.get(first - 1)) is not None and before.grid is grid:
                    first -= 1
                return first + y - 1
        return index

    # Drawing

    def _position(self) -> str:
        """Which columns of a wide table are in view, and which lines of how many; empty where all
        are."""
        parts = []
        wide = self._wide_line()
        if wide is not None:
            shown = [column for column, _ in wide.grid.in_sight(self._first_column)]
            first, last, all = shown[1] + 1, shown[-1] + 1, len(wide.grid.widths)
            parts.append(tr("columns {first}-{last}/{all}", first=first, last=last, all=all))
        if len(self._lines) > self._page:
            last = min(self._top + self._page, len(self._lines))
            parts.append(f"{self._top + 1}-{last}/{len(self._lines)}")
        return "  ".join(parts)

    def _title_strip(self, title: str, right: str, width: int, source: str = "") -> Strip:
        """The title line; `source` is said behind the title where that leaves room."""
        title = tr(title)
        sign = f"{SIGNS.cursor} " if self.has_focus else " " * MARGIN
        room = max(width - cell_width(right) - MARGIN - 2, 0)
        left = room - cell_width(title) - 2
        said = truncate(source, left) if left >= LEAST_SOURCE else ""
        right = "  ".join(filter(None, (said, right)))
        room -= cell_width(said) + 2 if said else 0
        pieces = [(sign, "key"), (pad(title, room) + "  ", "header")]
        return self.strip_of([*pieces, (truncate(right, width), "muted")], width)


def _keeps(where: str) -> bool:
    return False
