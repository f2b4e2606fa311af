"""The help, with every key that works in a place, and the line of places that `g` opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip

from engine.text.wrapping import cell_width, pad, wrap
from tui.language import tr
from tui.shell.actions import Place
from tui.shell.keys import widget_bindings
from tui.shell.registry import Section
from tui.widgets.line import WHEEL, LineWidget, Piece, destination
from tui.widgets.row_source import widest

INDENT = GAP = "  "
START, STAY = tr("go to"), tr("stay")


def help_lines(sections: Sequence[Section], width: int) -> list[list[Piece]]:
    """The help as lines of pieces: keys, then label, then the sentence, wrapped to its column."""
    keys = widest([line.keys for section in sections for line in section.lines])
    labels = widest([line.label for section in sections for line in section.lines])
    lines: list[list[Piece]] = []
    for section in sections:
        lines += [[(section.title, "header")]]
        # signs have a meaning and no label
        named = any(line.label for line in section.lines)
        room = len(INDENT) + (labels + len(INDENT) if named else 0)
        left = len(INDENT) + keys + room
        for line in section.lines:
            start: list[Piece] = [
                (INDENT, ""),
                (line.keys, line.role),
                (" " * (keys - cell_width(line.keys)) + pad(INDENT + line.label, room), ""),
            ]
            for begin, end in wrap(line.help, max(width - left, 12)):
                lines.append([*start, (line.help[begin:end], "muted")])
                start = [(" " * left, "")]
        lines.append([])
    return lines[:-1]


class HelpText(LineWidget, can_focus=True):
    """The scrolling lines of the help."""

    DEFAULT_CSS = "HelpText { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [*widget_bindings("help")]

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__()
        self._sections = tuple(sections)
        self._lines: list[list[Piece]] = []
        self._width = -1
        self._top = 0

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(help_lines(self._sections, width)) + 2

    def action_move(self, where: str) -> None:
        self._scroll(destination(where, self._top, self._page, len(self._lines)))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._scroll(self._top + WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._scroll(self._top - WHEEL)

    def _scroll(self, top: int) -> None:
        top = min(max(top, 0), max(len(self._lines) - self._page, 0))
        if top != self._top:
            self._top = top
            self.refresh()

    def render_line(self, y: int) -> Strip:
        if self._width != self.size.width:
            self._width = self.size.width
            self._lines = help_lines(self._sections, self._width)
        if y == self.size.height - 1:
            return self.strip_of([(self._position(), "muted")], self._width)
        index = self._top + y if y < self._page else len(self._lines)
        pieces = self._lines[index] if index < len(self._lines) else []
        return self.strip_of(pieces, self.size.width)

    @property
    def _page(self) -> int:
        """Lines of help in view; a blank line and the position are below them."""
        return max(self.size.height - 2, 1)

    def _position(self) -> str:
        last = min(self._top + self._page, len(self._lines))
        if len(self._lines) <= self._page:
            return tr("Esc closes")
        return tr(
            "Esc closes   {first}-{last} of {all} lines",
            first=self._top + 1,
            last=last,
            all=len(self._lines),
        )


class HelpScreen(ModalScreen[None]):
    """`app.push_screen(HelpScreen(registry.help(place)))`."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; }
    HelpScreen > HelpText {
        width: 92%; max-width: 90; height: auto; max-height: 90%; padding: 1 2; background: $panel;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "dismiss", "close", show=False)
    ]

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__()
        self._sections = sections

    def compose(self) -> ComposeResult:
        yield HelpText(self._sections)


class Places(LineWidget):
    """The places with their digits, on one line."""

    DEFAULT_CSS = "Places { dock: bottom; height: 1; background: $panel; }"

    def __init__(self, places: Sequence[Place]) -> None:
        super().__init__()
        self._places = places

    def _spaced(self) -> tuple[str, str, str]:
        """What stands before the places, before each of them and after them: on a narrow screen
        the places alone."""
        start, stay = f" {START}", f"{GAP}Esc {STAY}"
        wide = sum(len(f"{GAP}{place.number} ") + cell_width(place.title) for place in self._places)
        if cell_width(start) + wide + cell_width(stay) > self.size.width:
            return "", " ", ""
        return start, GAP, stay

    def on_click(self, event: events.Click) -> None:
        """Types the digit of the place."""
        before, gap, _ = self._spaced()
        offset, end = event.get_content_offset(self), cell_width(before)
        for place in self._places:
            start = end + len(gap)
            end = start + len(f"{place.number} ") + cell_width(place.title)
            if offset is not None and start <= offset.x < end:
                self.app.post_message(events.Key(str(place.number), str(place.number)))

    def render_line(self, y: int) -> Strip:
        before, gap, after = self._spaced()
        pieces: list[Piece] = [(before, "muted")]
        for place in self._places:
            pieces += [(gap, ""), (str(place.number), "key"), (f" {place.title}", "")]
        return self.strip_of([*pieces, (after, "muted")], self.size.width)


class GoTo(ModalScreen[str | None]):
    """Dismisses with the key of the chosen place, or None; any other key stays here."""

    DEFAULT_CSS = "GoTo { background: transparent; }"

    def __init__(self, places: Sequence[Place]) -> None:
        super().__init__()
        self._places = places

    def compose(self) -> ComposeResult:
        yield Places(self._places)

    def on_key(self, event: events.Key) -> None:
        chosen = [place.key for place in self._places if str(place.number) == event.character]
        event.stop()
        # keys that come at one moment, as an input method's: the first has answered
        if self.is_active:
            self.dismiss(chosen[0] if chosen else None)
