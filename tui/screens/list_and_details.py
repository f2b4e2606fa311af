"""The base class of screens with a list and the details of its current line below it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from tui.screens.place import PlaceScreen
from tui.widgets.line import LOADING, TextLines
from tui.widgets.row_source import ListSource
from tui.widgets.rows import Rows
from tui.widgets.sheet import Sheet


class ListAndDetails(PlaceScreen):
    """Subclasses fill `caption` and `list`, and show in `details` what the cursor is on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,shift+tab", "other_pane", "other pane", show=False)
    ]
    DEFAULT_CSS = """
    ListAndDetails #listed { height: 1fr; }
    ListAndDetails #details { height: 1fr; margin-top: 1; background: $surface; }
    ListAndDetails.-one-pane #details { display: none; }
    ListAndDetails.-one-pane.-in-details #details { display: block; margin-top: 0; }
    ListAndDetails.-one-pane.-in-details #listed { display: none; }
    """

    def __init__(self, *, loading: str = LOADING, details: str = "") -> None:
        """What the list says until it is known, and the title of the details."""
        super().__init__()
        self.caption = TextLines(2, id="caption")
        self.list = Rows(ListSource(), loading=loading, id="listed")
        self.details = Sheet(title=details, id="details")

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.list
        yield self.details

    def on_mount(self) -> None:
        super().on_mount()
        self.main_pane.focus()

    @property
    def main_pane(self) -> Widget:
        """The widget whose cursor the details follow."""
        return self.list

    @property
    @abstractmethod
    def current(self) -> object | None:
        """The object under the cursor."""

    @abstractmethod
    def show_details(self) -> None:
        """Shows the details of the current line."""

    def say_no_details(self) -> None:
        """Says why the current line has no details."""

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        self.show_details()

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.enter_details()

    def enter_details(self) -> None:
        if self.current is None:
            self.say_no_details()
            return
        self.add_class("-in-details")
        self.details.focus()

    def action_other_pane(self) -> None:
        if not self.step_back():
            self.enter_details()

    def action_whole(self) -> None:
        self.toggle_class("-one-pane")

    def step_back(self) -> bool:
        if not self.details.has_focus:
            return False
        self.remove_class("-in-details")
        self.main_pane.focus()
        return True
