"""The line that `g` opens, on which a digit goes to its place."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.strip import Strip

from tui.shell.actions import Place
from tui.widgets.line import LineWidget, Piece


class Places(LineWidget):
    """The places with their digits, on one line."""

    DEFAULT_CSS = "Places { dock: bottom; height: 1; padding: 0 1; background: $panel; }"

    def __init__(self, places: Sequence[Place]) -> None:
        super().__init__()
        self._places = places

    def render_line(self, y: int) -> Strip:
        pieces: list[Piece] = [("go to", "muted")]
        for place in self._places:
            pieces += [("  ", ""), (str(place.number), "key"), (f" {place.title}", "")]
        return self.strip_of([*pieces, ("  ", ""), ("Esc", "key"), (" stay", "")], self.size.width)


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
