"""The base class of the widgets that draw lines of cells in the roles of the theme."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from engine.text.wrapping import ELLIPSIS, cell_width, printable, wrap
from tui.language import later, read
from tui.shell.theme import heat_style, role_styles

Piece = tuple[str, str]
"""Text and its roles, separated by spaces; later roles lie over earlier ones."""

LOADING = later("Loading.")
FAILED = later("This could not be read; the message says why.")
MARGIN = 2
"""Cells left of a text, for a sign."""
WHEEL = 3
"""Lines that one step of the mouse's wheel scrolls by."""


def destination(where: str, here: int, page: int, last: int) -> int:
    """The line that a movement leads to, which may lie outside: `down`, `up`, `page_down`,
    `page_up`, `first` or `last`. A page keeps one line of what was in view."""
    step = max(page - 1, 1)
    return {
        "down": here + 1,
        "up": here - 1,
        "page_down": here + step,
        "page_up": here - step,
        "first": 0,
        "last": last,
    }[where]


def _cut(strip: Strip, width: int) -> Strip:
    shown = strip.crop(0, width)
    if width < 1 or shown.text.rstrip() == strip.text.rstrip():
        return shown
    kept = strip.crop(0, width - 1)
    style = next((one.style for one in reversed(kept._segments) if one.text.strip()), None)
    return Strip.join([kept, Strip([Segment(ELLIPSIS, style)], 1)])


class LineWidget(Widget):
    """Draws line by line, and repaints only the lines that it is told have changed.

    It scrolls by keeping its own first line instead of a `ScrollView`'s offset: there is no
    scroll bar (its end signs are of ambiguous width), no animation and no layout on the way.
    """

    DEFAULT_CSS = "LineWidget { width: 1fr; }"
    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._styles_by_role: dict[str, Style] = {}

    def notify_style_update(self) -> None:
        self._styles_by_role.clear()
        super().notify_style_update()

    def role_style(self, roles: str) -> Style:
        """The whole style of some roles; `heat:0.4`, `sign:-0.4` and the same
        behind `pale-` are shades."""
        style = self._styles_by_role.get(roles)
        if style is None:
            colours, ansi = self.app.theme_variables, self.app.native_ansi_color
            by_role = role_styles(colours, ansi)
            style = self.rich_style
            for role in roles.split():
                kind, _, shade = role.partition(":")
                if shade:
                    style += heat_style(
                        colours,
                        float(shade),
                        ansi,
                        is_small=kind.startswith("pale-"),
                        is_signed=kind.endswith("sign"),
                    )
                else:
                    style += by_role[role]
            self._styles_by_role[roles] = style
        return style

    def strip_of(self, pieces: Iterable[Piece], width: int, ground: str = "") -> Strip:
        """One line of exactly `width` cells; `ground` is the role under all pieces. What is too
        long for it is cut, with a sign unless only blanks are lost."""
        merged: list[list[str]] = []
        taken = 0
        for text, roles in pieces:
            if not text:
                continue
            shown = printable(text)
            taken += cell_width(shown)
            if merged and (merged[-1][1] == roles or self._hides(shown, roles, merged[-1][1])):
                merged[-1][0] += shown
            else:
                merged.append([shown, roles])
        if taken < width:
            merged.append([" " * (width - taken), ""])
        strip = Strip(
            [Segment(text, self.role_style(f"{ground} {roles}".strip())) for text, roles in merged],
            max(taken, width),
        )
        return _cut(strip, width) if taken > width else strip

    def _hides(self, text: str, roles: str, others: str) -> bool:
        """Whether the text looks the same in other roles: blanks on the same ground do. A change
        of style takes 20 bytes on the line to the terminal."""
        if text.strip(" "):
            return False
        one, other = self.role_style(roles), self.role_style(others)
        return one.bgcolor == other.bgcolor and not any(
            style.underline or style.underline2 or style.reverse or style.strike or style.overline
            for style in (one, other)
        )

    def repaint_lines(self, first: int, count: int = 1) -> None:
        """Repaint `count` lines of the widget from line `first`, and nothing else."""
        if not self.size.width:
            # out of sight it has no size; what it drew before would come back with it
            self.refresh()
        elif count > 0:
            self.refresh(Region(0, first, self.size.width, count))

    def lines_as_text(self) -> list[str]:
        """What is drawn, as plain text: for tests and dumps."""
        return [self.render_line(line).text.rstrip() for line in range(self.size.height)]


class ContentLines(LineWidget):
    """Lines of contents, with a text in their place where there are none: `loading` until it is
    known what they are, `empty` from then on."""

    def __init__(self, *, empty: str = "", loading: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self.empty, self.loading_text = empty, loading
        self.is_loading = True

    def fail(self) -> None:
        """Says that the contents that were on their way do not come."""
        if self.is_loading:
            self.loading_text = FAILED
            self.refresh()

    @property
    def placeholder(self) -> str:
        return read(self.loading_text if self.is_loading else self.empty)

    def placeholder_strip(self, line: int) -> Strip:
        """One line of the text in place of the contents; its first is line 1."""
        width = self.size.width
        text = self.placeholder
        lines = wrap(text, max(width - 2 * MARGIN, 1)) if text else []
        if not 1 <= line <= len(lines):
            return Strip.blank(width, self.rich_style)
        start, end = lines[line - 1]
        return self.strip_of([(" " * MARGIN, ""), (text[start:end], "muted")], width)


class TextLines(LineWidget):
    def __init__(self, height: int, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.styles.height = height
        self._lines: tuple[tuple[Piece, ...], ...] = ()

    def lay(self, texts: Sequence[Piece], width: int) -> None:
        """Shows some texts, each wrapped to the width, on as many lines as that takes."""
        width = max(width, 20)
        lines = [
            [(text[start:end], role)] for text, role in texts for start, end in wrap(text, width)
        ]
        self.styles.height = len(lines)
        self.show(lines)

    def show(self, lines: Sequence[Sequence[Piece]]) -> None:
        """Show these; lines that there is no room for are left out."""
        before, self._lines = self._lines, tuple(map(tuple, lines))
        for line in range(max(len(before), len(self._lines))):
            if before[line : line + 1] != self._lines[line : line + 1]:
                self.repaint_lines(line)

    def render_line(self, y: int) -> Strip:
        pieces = self._lines[y] if y < len(self._lines) else ()
        return self.strip_of([("  ", ""), *pieces], self.size.width)
