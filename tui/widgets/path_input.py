"""An input field for the path of a file or a folder."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from tui.widgets.path_completion import complete


class PathInput(Input):
    """Tab completes what is typed; where there is nothing to complete, it goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "complete", show=False)]

    def action_complete(self) -> None:
        completion = complete(self.value)
        if completion.text == self.value and len(completion.candidates) < 2:
            self.screen.focus_next()
            return
        self.value = completion.text
        self.cursor_position = len(completion.text)
