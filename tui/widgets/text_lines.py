"""A fixed number of lines of text, of which only those that differ are repainted."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from tui.widgets.line import LineWidget, Piece


class TextLines(LineWidget):
    def __init__(self, height: int, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.styles.height = height
        self._lines: tuple[tuple[Piece, ...], ...] = ()

    def show(self, lines: Sequence[Sequence[Piece]]) -> None:
        """Show these; lines that there is no room for are left out."""
        before, self._lines = self._lines, tuple(map(tuple, lines))
        for line in range(max(len(before), len(self._lines))):
            if before[line : line + 1] != self._lines[line : line + 1]:
                self.repaint_lines(line)

    def render_line(self, y: int) -> Strip:
        pieces = self._lines[y] if y < len(self._lines) else ()
        return self.strip_of([("  ", ""), *pieces], self.size.width)
