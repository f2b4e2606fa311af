"""A line of input fields, each with its label before it.

A field's ground is darker than the next one's, which nobody sees without colour.
"""

from __future__ import annotations

from textual import events
from textual.containers import Horizontal

from tui.widgets.heading import SectionLine


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
