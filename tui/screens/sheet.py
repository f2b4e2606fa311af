"""A text to read over any screen, such as what a piece of work came to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from engine.text.wrapping import cell_width, pad
from tui.language import read, tr
from tui.screens.host import Host
from tui.widgets.line import Piece
from tui.widgets.sheet import Lay, Sheet, wrapped

GAP = "  "


class SheetScreen(ModalScreen[None]):
    """Enter or Esc closes it."""

    DEFAULT_CSS = """
    SheetScreen { align: center middle; }
    SheetScreen > Vertical {
        width: 94%; max-width: 120; height: 90%; padding: 1 2; background: $panel;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter", "dismiss", show=False)]

    def __init__(self, title: str, lay: Lay) -> None:
        super().__init__()
        self._lay = lay
        self.sheet = Sheet(title=f"{tr(title)}   {tr('Esc closes')}")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.sheet

    def on_mount(self) -> None:
        self.sheet.show(self._lay)
        self.sheet.focus()


class Said(Struct, frozen=True, tag=True):
    """A sentence, in a role of the theme; without text a blank line."""

    text: str
    role: str = ""


class Table(Struct, frozen=True, tag=True):
    """Rows of cells, the headings first; a column is as wide as its widest cell."""

    rows: tuple[tuple[str, ...], ...]


Report = tuple[Said | Table, ...]
"""What a piece of work came to, as a query may answer it."""


def show_report(host: Host, title: str, report: Report) -> None:
    """Shows over any screen what a piece of work came to."""
    host.push_screen(SheetScreen(title, report_lay(report)))


def report_lay(report: Report) -> Lay:
    """The sentences, wrapped, and the tables, whose first column alone stands to the left."""

    def lay(width: int) -> list[list[Piece]]:
        lines: list[list[Piece]] = []
        for part in report:
            if isinstance(part, Table):
                lines += [[], *_table(part.rows), []]
            else:
                lines += wrapped(read(part.text), width, part.role) or [[]]
        return lines

    return lay


def _table(rows: Sequence[Sequence[str]]) -> list[list[Piece]]:
    rows = [tuple(map(tr, rows[0])), *rows[1:]]
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for number, row in enumerate(rows):
        cells = [
            pad(cell, width) if at == 0 else " " * (width - cell_width(cell)) + cell
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append([(GAP.join(cells), "header" if number == 0 else "")])
    return lines
