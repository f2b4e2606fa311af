"""Questions with a list of answers, of which one is chosen, or any number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tui.language import later
from tui.shell.theme import SIGNS
from tui.widgets.heading import SectionLine
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

Answer = TypeVar("Answer")


def named_rows(options: Iterable[tuple[str, str]]) -> list[Row]:
    """Returns a row for each name, with what is said of it."""
    return [Row(name, (Cell(name, "strong"), Cell(about, "muted"))) for name, about in options]


class AnswerList(ModalScreen[Answer]):
    """A list of rows, of which those in `taken` have a tick; subclasses say what Enter does."""

    DEFAULT_CSS = """
    AnswerList { align: center middle; }
    AnswerList > Vertical {
        width: 92%; max-width: 110; height: auto; max-height: 90%; padding: 1 2;
        background: $panel;
    }
    AnswerList Rows { margin-top: 1; }
    """
    KEYS: ClassVar[str]
    """What its keys do, beside the title."""

    def __init__(
        self, title: str, columns: Sequence[Column], rows: Sequence[Row], taken: Collection[str]
    ) -> None:
        super().__init__()
        self._title = title
        self._rows = rows
        self._taken = set(taken)
        self.rows = Rows(ListSource(self._ticked()), (Column("", 1), *columns))
        self._height = len(rows) + any(column.label for column in columns)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine(self._title, self.KEYS)
            yield self.rows

    def on_mount(self) -> None:
        self.rows.styles.height = min(self._height, max(self.app.size.height - 8, 4))
        self.rows.focus()

    def _ticked(self) -> list[Row]:
        ticks = [Cell(SIGNS.good if row.key in self._taken else "", "good") for row in self._rows]
        return [
            Row(row.key, (tick, *row.cells), row.role)
            for row, tick in zip(self._rows, ticks, strict=True)
        ]


class Choose(AnswerList[str | None]):
    """Dismisses with the key of the chosen row, or None."""

    KEYS = later("Enter: choose   Esc: cancel")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "close", show=False)]

    def __init__(
        self, title: str, columns: Sequence[Column], rows: Sequence[Row], current: str = ""
    ) -> None:
        """Marks the row called `current` with a tick and puts the cursor on it."""
        super().__init__(title, columns, rows, {current})
        keys = [row.key for row in rows]
        self._current = keys.index(current) if current in keys else 0

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self.rows.move_to, self._current)

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.dismiss(str(message.row.key))


class ChooseMany(AnswerList[tuple[str, ...] | None]):
    """Dismisses with the keys of the rows that are taken, in their order; none stands for all."""

    KEYS = later("Enter: select or clear   Esc: done; none means all")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "done", "done", show=False),
        Binding("space", "take_or_leave", "select or clear", show=False),
    ]

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.action_take_or_leave()

    def action_take_or_leave(self) -> None:
        if self.rows.current is not None:
            self._taken ^= {str(self.rows.current.key)}
            self.rows.replace_source(ListSource(self._ticked()))

    def action_done(self) -> None:
        self.dismiss(tuple(str(row.key) for row in self._rows if row.key in self._taken))
