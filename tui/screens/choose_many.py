"""A question with a list of answers, any number of which can be chosen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tui.shell.theme import SIGNS
from tui.widgets.heading import SectionLine
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows


class ChooseMany(ModalScreen[tuple[str, ...]]):
    """Dismisses with the keys of the rows that are taken, in their order; none stands for all."""

    DEFAULT_CSS = """
    ChooseMany { align: center middle; }
    ChooseMany > Vertical {
        width: 92%; max-width: 110; height: auto; max-height: 90%; padding: 1 2;
        background: $panel;
    }
    ChooseMany Rows { margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "done", "done", show=False),
        Binding("space", "take_or_leave", "select or clear", show=False),
    ]

    def __init__(
        self, title: str, columns: Sequence[Column], rows: Sequence[Row], taken: Collection[str]
    ) -> None:
        super().__init__()
        self._title = title
        self._rows = rows
        self._taken = set(taken)
        self.rows = Rows(ListSource(self._marked()), (Column("", 1), *columns))
        self._height = len(rows) + any(column.label for column in columns)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine(self._title, "Enter: select or clear   Esc: done; none means all")
            yield self.rows

    def on_mount(self) -> None:
        self.rows.styles.height = min(self._height, max(self.app.size.height - 8, 4))
        self.rows.focus()

    def _marked(self) -> list[Row]:
        return [
            Row(
                row.key,
                (Cell(SIGNS.good if row.key in self._taken else "", "good"), *row.cells),
                row.role,
            )
            for row in self._rows
        ]

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.action_take_or_leave()

    def action_take_or_leave(self) -> None:
        if self.rows.current is not None:
            self._taken ^= {str(self.rows.current.key)}
            self.rows.replace_source(ListSource(self._marked()))

    def action_done(self) -> None:
        self.dismiss(tuple(str(row.key) for row in self._rows if row.key in self._taken))
