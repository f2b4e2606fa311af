"""Short questions over a label desk: a note to type, and a reason that is one digit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input

from engine.labelling.forms.rules import key_of
from store.labels.forms import Choice
from tui.language import local_name, tr
from tui.shell.terminal import normalise_key
from tui.widgets.heading import SectionLine
from tui.widgets.line import LineWidget, Piece


class AskText(ModalScreen[str | None]):
    """Dismisses with the text on Enter; Esc keeps what stood. Every change goes to `keep`."""

    DEFAULT_CSS = """
    AskText { background: transparent; }
    AskText > Vertical { dock: bottom; height: 3; padding: 0 1; background: $panel; }
    AskText Input { height: 1; border: none; padding: 0 2; }
    AskText Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "close", show=False)]

    def __init__(self, title: str, text: str, keep: Callable[[str], None]) -> None:
        super().__init__()
        self._title = title
        self._keep = keep
        self.input = Input(text, compact=True)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine(self._title, tr("Enter saves   Esc cancels   empty removes it"))
            yield self.input

    def on_mount(self) -> None:
        self.input.focus()
        self.input.cursor_position = len(self.input.value)

    def on_input_changed(self, message: Input.Changed) -> None:
        self._keep(message.value)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self.dismiss(message.value)


class Reasons(LineWidget):
    """The reasons with their keys, one a line."""

    def __init__(self, title: str, reasons: Sequence[Choice]) -> None:
        super().__init__()
        self._lines: list[list[Piece]] = [[(title, "strong"), (tr("   Esc cancels"), "muted")]]
        self._lines += [
            [(f"  {key_of(one)}", "key"), (f" {local_name(one)}", "")] for one in reasons
        ]
        self.styles.height = len(self._lines)

    def render_line(self, y: int) -> Strip:
        return self.strip_of(self._lines[y] if y < len(self._lines) else [], self.size.width)


class AskReason(ModalScreen[str | None]):
    """Dismisses with the reason whose key is pressed, or None on Esc; other keys do nothing."""

    DEFAULT_CSS = """
    AskReason { background: transparent; }
    AskReason > Vertical { dock: bottom; height: auto; padding: 0 1; background: $panel; }
    """

    def __init__(self, title: str, reasons: Sequence[Choice]) -> None:
        super().__init__()
        self._reasons = {key_of(one): str(one.value) for one in reasons}
        self.lines = Reasons(title, reasons)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.lines

    def on_key(self, event: events.Key) -> None:
        event.stop()
        _, character = normalise_key(event.key, event.character)
        if event.key == "escape":
            self.dismiss(None)
        elif character in self._reasons:
            self.dismiss(self._reasons[character])
