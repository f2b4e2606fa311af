"""The top line: place, rater, background work and the number of the last saved event."""

from __future__ import annotations

from typing import NamedTuple

from textual.strip import Strip

from engine.text.wrapping import cell_width, truncate
from tui.shell.theme import SIGNS
from tui.widgets.line import LineWidget, Piece


class Where(NamedTuple):
    place: str = ""
    context: tuple[str, ...] = ()
    """From the general to the special: dataset, cell, item."""
    rater: str = ""
    saved: int | None = None
    """Number of the last committed event."""
    status: str = ""
    """What goes on meanwhile: `2 jobs running`."""


def top_pieces(where: Where, width: int) -> list[Piece]:
    """Place and context on the left, the rest on the right; the context gives way first."""
    right_parts = [
        where.status,
        f"rater {where.rater}" if where.rater else "",
        # so wide that a tenth label moves nothing: a key costs a line what it changes
        f"saved #{where.saved:<4}" if where.saved is not None else "",
    ]
    right = "   ".join(filter(None, right_parts))
    place = truncate(where.place, width)
    right = truncate(right, max(width - cell_width(place) - 2, 0))
    room = width - cell_width(place) - cell_width(right)
    context = f" {SIGNS.separator} ".join(filter(None, where.context))
    shown = truncate(context, max(room - 5, 0))
    left = f"   {shown}" if shown else ""
    space = " " * max(room - cell_width(left), 0)
    return [(place, "strong"), (left, ""), (space, ""), (right, "muted")]


class TopLine(LineWidget):
    """One line that is repainted only when what it says has changed."""

    DEFAULT_CSS = "TopLine { dock: top; height: 1; padding: 0 1; background: $panel; }"

    def __init__(self, where: Where | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._where = where or Where()

    @property
    def where(self) -> Where:
        return self._where

    def show(self, where: Where) -> None:
        """Shows this; `topline.show(topline.where._replace(saved=7))` changes one part."""
        if where != self._where:
            self._where = where
            self.repaint_lines(0)

    def render_line(self, y: int) -> Strip:
        return self.strip_of(top_pieces(self._where, self.size.width), self.size.width)
