"""The normalisation of key events, unless a text field has the focus."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.events import Event, Key
from textual.widget import Widget
from textual.widgets import Input

from tui.shell.terminal import normalise_key


def normalised(event: Event, app: App[Any]) -> Event:
    """The event, or the key that was meant by it, unless a text field has the focus.

    For the app's `on_event`: `await super().on_event(normalised(event, self))`.
    """
    if not isinstance(event, Key) or event.is_forwarded or is_typing(app.focused):
        return event
    key, character = normalise_key(event.key, event.character)
    return event if key == event.key else Key(key, character)


def is_typing(focused: Widget | None) -> bool:
    """Whether keys are text now, because a text field has the focus."""
    return isinstance(focused, Input) or getattr(focused, "takes_text", False)
