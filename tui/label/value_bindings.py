"""The keys that give values, as bindings."""

from __future__ import annotations

from textual.binding import Binding

from engine.labelling.forms.keys import NA_KEY
from tui.shell.terminal import key_name

VALUE_BINDINGS: list[Binding] = [
    Binding(key_name(character), f"value({character!r})", show=False)
    for character in f"0123456789{NA_KEY}"
]
"""For a screen with `action_value`. Bindings, as all other keys are, so that keys typed ahead of
the screen act in the order in which they were typed: Down, then 2, is a 2 for the next field."""
