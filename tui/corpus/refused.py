"""The files that could not be read, with the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from store.jobs.unreadable import RefusedPart
from tui.language import tr
from tui.widgets.heading import SectionLine
from tui.widgets.line import Piece
from tui.widgets.sheet import Block, Sheet, lay_blocks


class RefusedScreen(ModalScreen[bool]):
    """Dismisses with True when they have been read."""

    DEFAULT_CSS = """
    RefusedScreen { align: center middle; }
    RefusedScreen > Vertical { width: 92%; height: 90%; padding: 1 2; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(True)", "read", show=False),
        Binding("enter", "dismiss(True)", "read", show=False),
    ]

    def __init__(self, parts: Sequence[RefusedPart]) -> None:
        super().__init__()
        self._parts = parts
        self.sheet = Sheet(title=tr("{number:,} refused", number=len(parts)))

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine("Could not be read", "Esc or Enter: mark as read; F5 still shows it")
            yield self.sheet

    def on_mount(self) -> None:
        self.sheet.show(self._lay)
        self.sheet.focus()

    def _lay(self, width: int) -> list[list[Piece]]:
        blocks = [Block(str(number), part.text) for number, part in enumerate(self._parts, 1)]
        return lay_blocks(blocks, width)
