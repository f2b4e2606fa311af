"""A line that acts when Enter is pressed on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from tui.language import read, tr
from tui.shell.theme import SIGNS
from tui.widgets.line import LineWidget


class PressLine(LineWidget, can_focus=True):
    """Says what it does; or, in its place, why it cannot."""

    DEFAULT_CSS = "PressLine { height: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "press", "press", show=False)]

    @dataclass
    class Pressed(Message):
        """Enter, or a click."""

        line: PressLine

    def __init__(self, label: str, note: str = "") -> None:
        super().__init__()
        self._label, self._note = label, note
        self._trouble = ""

    def show(self, label: str) -> None:
        """Says something else, such as what was chosen."""
        if label != self._label:
            self._label = label
            self.repaint_lines(0)

    def say(self, trouble: str) -> None:
        """Show why it cannot be pressed; empty when it can."""
        if trouble != self._trouble:
            self._trouble = trouble
            self.repaint_lines(0)

    def action_press(self) -> None:
        if not self._trouble:
            self.post_message(self.Pressed(self))

    def on_click(self) -> None:
        self.action_press()

    def on_focus(self) -> None:
        self.repaint_lines(0)

    def on_blur(self) -> None:
        self.repaint_lines(0)

    def render_line(self, y: int) -> Strip:
        sign = f"{SIGNS.cursor} " if self.has_focus else "  "
        ground = "cursor" if self.has_focus else "cursor-idle"
        if self._trouble:
            return self.strip_of(
                [(sign, ""), (read(self._trouble), "bad")], self.size.width, ground
            )
        label, note = tr(self._label), tr(self._note)
        pieces = [(sign, ""), (label, "strong"), ("   ", ""), (note, "muted")]
        return self.strip_of(pieces, self.size.width, ground)
