"""A question with a list of answers, one of which is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tui.shell.theme import SIGNS
from tui.widgets.heading import SectionLine
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows


class Choose(ModalScreen[str | None]):
    """Dismisses with the key of the chosen row, or None."""

    DEFAULT_CSS = """
    Choose { align: center middle; }
    Choose > Vertical {
        width: 92%; max-width: 110; height: auto; max-height: 90%; padding: 1 2;
        background: $panel;
    }
    Choose Rows { margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "close", show=False)]

    def __init__(
        self, title: str, columns: Sequence[Column], rows: Sequence[Row], current: str = ""
    ) -> None:
        """Marks the row called `current` with a tick and puts the cursor on it."""
        super().__init__()
        self._title = title
        self._current = [row.key for row in rows].index(current) if _has(rows, current) else 0
        ticks = [Cell(SIGNS.good if row.key == current else "", "good") for row in rows]
        marked = [
            Row(row.key, (tick, *row.cells), row.role)
            for row, tick in zip(rows, ticks, strict=True)
        ]
        self.rows = Rows(ListSource(marked), (Column("", 1), *columns))
        self._height = len(rows) + any(column.label for column in columns)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine(self._title, "Enter: choose   Esc: cancel")
            yield self.rows

    def on_mount(self) -> None:
        self.rows.styles.height = min(self._height, max(self.app.size.height - 8, 4))
        self.rows.focus()
        self.call_after_refresh(self.rows.move_to, self._current)

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.dismiss(str(message.row.key))


def _has(rows: Sequence[Row], key: str) -> bool:
    return any(row.key == key for row in rows)
