"""Choices from a list that is narrowed by typing: of a topic or task, of a document."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from store.corpora.browsing import document_rows
from store.corpora.corpora import Corpus
from tui.language import tr
from tui.screens.document_rows import DOCUMENT_COLUMNS, DocumentSource
from tui.screens.host import host_of
from tui.widgets.heading import SectionLine
from tui.widgets.marks import occurrences
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

MOVES = ("down", "up", "page_down", "page_up")


class Option(NamedTuple):
    key: str
    name: str
    note: str = ""
    """Said beside the name; searched too."""


class FilterScreen(ModalScreen[str | None]):
    """A field over a list: typing narrows the list, the arrows move in it, Enter chooses."""

    DEFAULT_CSS = """
    FilterScreen { align: center middle; }
    FilterScreen > Vertical {
        width: 92%; max-width: 110; height: 80%; padding: 1 2; background: $panel;
    }
    FilterScreen Input { height: 1; border: none; padding: 0 2; background: $surface; }
    FilterScreen Input:focus { border: none; background: $background; }
    FilterScreen Rows { margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "close", show=False),
        Binding("down", "move('down')", "down", show=False),
        Binding("up", "move('up')", "up", show=False),
        Binding("pagedown", "move('page_down')", tr("page down"), show=False),
        Binding("pageup", "move('page_up')", tr("page up"), show=False),
    ]

    def __init__(self, title: str, columns: Sequence[Column], typed: str = "") -> None:
        super().__init__()
        self.heading = SectionLine(title, tr("type to narrow   Enter chooses   Esc cancels"))
        self.wanted = Input(typed, placeholder="find", compact=True, select_on_focus=False)
        self.wanted.cursor_blink = False
        self.rows = Rows(ListSource(), columns, empty=tr("Nothing like this."))
        self._title = title

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.heading
            yield self.wanted
            yield self.rows

    def on_mount(self) -> None:
        self.wanted.focus()
        self.narrow(self.wanted.value)

    @abstractmethod
    def narrow(self, wanted: str) -> None:
        """Show what holds `wanted`."""

    def on_input_changed(self, message: Input.Changed) -> None:
        self.narrow(message.value)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        row = self.rows.current
        if row is not None:
            self.dismiss(str(row.key))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.dismiss(str(message.row.key))

    def action_move(self, where: str) -> None:
        self.rows.action_move(where)

    def on_key(self, event: events.Key) -> None:
        """What is typed while the list has the focus goes into the field."""
        if event.is_printable and event.character is not None:
            event.stop()
            self.wanted.insert_text_at_cursor(event.character)

    def on_click(self, event: events.Click) -> None:
        self.wanted.focus()


class Pick(FilterScreen):
    """Dismisses with the key of the chosen option, or None."""

    def __init__(
        self, title: str, options: Sequence[Option], current: str = "", typed: str = ""
    ) -> None:
        super().__init__(title, (Column("", minimum=20), Column("", minimum=24, drop=1)), typed)
        self._options = tuple(options)
        self._current = current

    def narrow(self, wanted: str) -> None:
        shown = [option for option in self._options if not wanted or _holds(option, wanted)]
        self.rows.set_source(ListSource([_row(option) for option in shown]))
        if not wanted:
            self.rows.move_to_key(self._current)


class DocumentPick(FilterScreen):
    """Dismisses with the row number of the chosen document, as text, or None."""

    def __init__(self, corpus: Corpus, typed: str = "") -> None:
        super().__init__(tr("Documents of {name}", name=corpus.name), DOCUMENT_COLUMNS, typed)
        self._corpus = corpus

    def narrow(self, wanted: str) -> None:
        host = host_of(self)
        host.in_thread(
            tr("finding {wanted}", wanted=wanted) if wanted else tr("listing the documents"),
            lambda workspace: document_rows(workspace.db, self._corpus, wanted),
            lambda rows: self._show(wanted, rows),
            group="pick-documents",
        )

    def _show(self, wanted: str, rows: Sequence[int]) -> None:
        if not self.is_attached or wanted != self.wanted.value:
            return
        self.rows.set_source(DocumentSource(host_of(self), self._corpus, rows))
        note = (
            tr("{number:,} hold {wanted}", number=len(rows), wanted=wanted)
            if wanted
            else f"{len(rows):,}"
        )
        self.heading.show(self._title, tr("{note}   Enter chooses   Esc cancels", note=note))


def _holds(option: Option, wanted: str) -> bool:
    return any(occurrences(text, wanted) for text in (option.name, option.note, option.key))


def _row(option: Option) -> Row:
    return Row(option.key, (Cell(option.name, "strong"), Cell(option.note, "muted")))
