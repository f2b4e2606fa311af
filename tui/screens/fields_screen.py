"""The base class of questions with fields to fill in."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Input

from tui.widgets.pressed import PressLine

Answer = TypeVar("Answer")


class FieldsScreen(ModalScreen[Answer]):
    """Up and Down go from field to field, Esc leaves it; subclasses say what Enter does."""

    DEFAULT_CSS = """
    FieldsScreen { align: center middle; }
    FieldsScreen > Vertical {
        width: 92%; max-width: 104; height: auto; max-height: 96%; padding: 1 2;
        background: $panel;
    }
    FieldsScreen Input { width: 1fr; height: 1; border: none; padding: 0 1; background: $surface; }
    FieldsScreen Input:focus { border: none; background: $background; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "close", show=False)]

    def on_key(self, event: events.Key) -> None:
        # Space and the digits are text in a field, and a list moves its own cursor
        if event.key in ("down", "up") and isinstance(self.focused, Input | PressLine):
            event.stop()
            self.focus_next() if event.key == "down" else self.focus_previous()
