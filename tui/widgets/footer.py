"""The bottom line: the most important actions of the place, and the key for the others."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from engine.text.wrapping import cell_width
from tui.widgets.line import LineWidget, Piece

KeyLabel = tuple[str, str]
"""A key as it is written for people, and one or two words."""

MORE: KeyLabel = ("?", "keys")
GAP = "  "


def fitting(items: Sequence[KeyLabel], width: int, more: KeyLabel = MORE) -> list[KeyLabel]:
    """The first items that fit into `width` together with `more`, then `more`."""
    room = width - _width(more)
    kept: list[KeyLabel] = []
    for item in items:
        room -= _width(item) + len(GAP)
        if room < 0:
            break
        kept.append(item)
    return [*kept, more]


def _width(item: KeyLabel) -> int:
    return cell_width(item[0]) + 1 + cell_width(item[1])


class FooterLine(LineWidget):
    """The keys of the place; or a message in their stead, until it is taken back."""

    DEFAULT_CSS = "FooterLine { dock: bottom; height: 1; padding: 0 1; background: $panel; }"

    def __init__(
        self, items: Sequence[KeyLabel] = (), *, more: KeyLabel = MORE, id: str | None = None
    ) -> None:
        """`more` says where the rest is: where keys are text, `?` is no key."""
        super().__init__(id=id)
        self._items = tuple(items)
        self._more = more
        self._message: Piece | None = None

    def show(self, items: Sequence[KeyLabel]) -> None:
        """Show these actions; `Registry.footer` gives them."""
        if tuple(items) != self._items:
            self._items = tuple(items)
            self.repaint_lines(0)

    def say(self, message: str, role: str = "") -> None:
        """Show a message in place of the actions; an empty one shows the actions again."""
        wanted = (message, role) if message else None
        if wanted != self._message:
            self._message = wanted
            self.repaint_lines(0)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self._message:
            return self.strip_of([self._message], width)
        pieces: list[Piece] = []
        for key, label in fitting(self._items, width, self._more):
            if pieces:
                pieces.append((GAP, ""))
            pieces += [(key, "key"), (f" {label}", "")]
        return self.strip_of(pieces, width)
