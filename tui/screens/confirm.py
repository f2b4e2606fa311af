"""A question before something that is hard to undo; only the key `y` confirms."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.screen import ModalScreen
from textual.strip import Strip

from engine.text.wrapping import cell_width, wrap
from tui.language import read, tr
from tui.screens.host import Host, host_of
from tui.widgets.line import LineWidget, Piece

GAP = "   "
NO = tr("no")
LEAST_WIDTH = 50
"""Cells of a line of the consequence on the narrowest terminal; its height is made for that."""


class Question(LineWidget):
    """The question, what follows from it, and the two keys."""

    def __init__(self, question: str, consequence: str, yes: str) -> None:
        super().__init__()
        self._question, self._consequence, self._yes = read(question), read(consequence), tr(yes)
        self.styles.height = 4 + max(len(wrap(self._consequence, LEAST_WIDTH)), 2)

    def on_click(self, event: events.Click) -> None:
        """Presses the key that stands there, in the last line but the blank ones."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y != len(self._lines(self.size.width)) - 1:
            return
        yes = cell_width(f"y {self._yes}")
        if offset.x < yes:
            self.app.post_message(events.Key("y", "y"))
        elif yes + len(GAP) <= offset.x < yes + len(GAP) + cell_width(f"Esc {NO}"):
            self.app.simulate_key("escape")

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        lines = self._lines(width)
        return self.strip_of(lines[y] if y < len(lines) else [], width)

    def _lines(self, width: int) -> list[list[Piece]]:
        text = self._consequence
        keys: list[Piece] = [
            ("y", "key"),
            (f" {self._yes}{GAP}", ""),
            ("Esc", "key"),
            (f" {NO}", ""),
        ]
        lines: list[list[Piece]] = [[(self._question, "strong")], []]
        lines += [[(text[start:end], "")] for start, end in wrap(text, max(width, 1))]
        return [*lines, [], keys]


class Confirm(ModalScreen[bool]):
    """Dismisses with True on `y` alone: not on Enter, Space or any other key in reach."""

    DEFAULT_CSS = """
    Confirm { align: center middle; }
    Confirm > Vertical {
        width: 64; max-width: 92%; height: auto; padding: 1 2; background: $panel;
    }
    """

    def __init__(self, question: str, consequence: str, yes: str) -> None:
        super().__init__()
        self._texts = (question, consequence, yes)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Question(*self._texts)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.character == "y":
            self.dismiss(True)
        elif event.key in ("escape", "n"):
            self.dismiss(False)


def confirm(
    node: DOMNode | Host, question: str, consequence: str, yes: str, then: Callable[[], object]
) -> None:
    """Asks over the screens of the app that `node` belongs to; does `then` on `y` alone."""
    host = host_of(node) if isinstance(node, DOMNode) else node

    def decided(is_sure: bool | None) -> None:
        # what `then` returns is no answer: the end of a screen must not be waited for here
        if is_sure:
            then()

    host.push_screen(Confirm(question, consequence, yes), decided)
