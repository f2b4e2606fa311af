"""The message of a problem, over the bottom of a screen until it is closed."""

from __future__ import annotations

from textual.geometry import Size
from textual.strip import Strip

from engine.text.wrapping import wrap
from tui.shell.theme import SIGNS
from tui.widgets.line import LineWidget, Piece

HINT = "Esc closes this"
LINES = 6


class ProblemLines(LineWidget):
    """Lies over the content instead of pushing it away, so that nothing jumps."""

    DEFAULT_CSS = """
    ProblemLines {
        layer: over; dock: bottom; height: auto; max-height: 8; margin-bottom: 1; padding: 0 1;
        background: $panel; display: none;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._is_trouble = True

    @property
    def text(self) -> str:
        """What is shown; empty when all is well."""
        return self._text

    def show(self, text: str, *, is_trouble: bool = True) -> None:
        """Show a problem, or else advice; an empty text takes it away."""
        if text != self._text:
            self._text, self._is_trouble = text, is_trouble
            self.display = bool(text)
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        lines = self._lines(width)
        return self.strip_of(lines[y] if y < len(lines) else [], width)

    def _lines(self, width: int) -> list[list[Piece]]:
        spans = wrap(self._text, max(width - 2, 1))[:LINES]
        sign = (SIGNS.bad, "bad strong") if self._is_trouble else (SIGNS.cursor, "key")
        lines: list[list[Piece]] = [
            [(f"{sign[0]} " if start == 0 else "  ", sign[1]), (self._text[start:end], "")]
            for start, end in spans
        ]
        return [*lines, [("  ", ""), (HINT, "muted")]]
