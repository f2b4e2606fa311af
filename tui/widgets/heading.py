"""Lines that name the part of the screen below them, or the fields beside them."""

from __future__ import annotations

from textual import events
from textual.containers import Horizontal
from textual.strip import Strip

from tui.language import tr
from tui.shell.theme import SIGNS
from tui.widgets.line import LineWidget


class SectionLine(LineWidget):
    DEFAULT_CSS = "SectionLine { height: 1; }"

    def __init__(self, title: str, note: str = "", *, is_name: bool = False) -> None:
        """A title that `is_name` is the same in every language."""
        super().__init__()
        self._title = title
        self._is_name = is_name
        self._note = note
        self._is_marked = False

    def mark(self, is_marked: bool) -> None:
        """Say that the field which this names has the focus, or no longer."""
        self._is_marked = is_marked
        self.repaint_lines(0)

    def show(self, title: str, note: str = "") -> None:
        """Say something else."""
        if (title, note) != (self._title, self._note):
            self._title, self._note = title, note
            self.repaint_lines(0)

    def render_line(self, y: int) -> Strip:
        sign = (f"{SIGNS.cursor} ", "key") if self._is_marked else ("  ", "")
        title, note = self._title if self._is_name else tr(self._title), tr(self._note)
        pieces = [sign, (title, "header"), ("   ", ""), (note, "muted")]
        return self.strip_of(pieces, self.size.width)


class FieldLine(Horizontal):
    """Holds `SectionLine`s, and after each the field that it names."""

    DEFAULT_CSS = "FieldLine { height: 1; }"

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._mark(event)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        self._mark(event)

    def _mark(self, event: events.DescendantFocus | events.DescendantBlur) -> None:
        label: SectionLine | None = None
        for child in self.children:
            if isinstance(child, SectionLine):
                label = child
            elif child is event.widget and label is not None:
                label.mark(isinstance(event, events.DescendantFocus))
