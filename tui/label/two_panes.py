"""A subject's text in one pane and its documents in the other: how one moves between them."""

from __future__ import annotations

from textual.app import ComposeResult

from tui.label.subject_view import SubjectView
from tui.widgets.passage import Passage
from tui.widgets.sheet import Sheet


class TwoPanes(SubjectView):
    """Subclasses fill `sheet` and `passage`, and say which document comes next (`step`)."""

    SCOPED_CSS = False  # the width that matters is the screen's
    DEFAULT_CSS = """
    TwoPanes { layout: vertical; }
    TwoPanes > Sheet { height: 2fr; }
    TwoPanes > Passage { height: 3fr; }
    .-wide TwoPanes { layout: horizontal; }
    .-wide TwoPanes > Sheet { width: 1fr; height: 1fr; }
    .-wide TwoPanes > Passage { width: 1fr; height: 1fr; margin-left: 2; }
    TwoPanes.-one-pane > .-documents { display: none; }
    TwoPanes.-one-pane.-in-passage > .-documents { display: block; margin-left: 0; }
    TwoPanes.-one-pane.-in-passage > Sheet { display: none; }
    """

    def __init__(self, *, title: str, empty: str, id: str | None = None) -> None:
        """`title` of the text; `empty` is shown of a subject that has no document."""
        super().__init__(id=id)
        self.sheet = Sheet(title=title)
        self.passage = Passage(empty=empty, loading="Reading the documents.", classes="-documents")

    def compose(self) -> ComposeResult:
        yield self.sheet
        yield self.passage

    def step(self, by: int) -> None:
        """Show the document that comes so many further."""

    def next_passage(self) -> None:
        self.step(1)
        self.bring_up()

    def previous_passage(self) -> None:
        self.step(-1)
        self.bring_up()

    def move(self, where: str) -> None:
        is_sideways = where in ("left", "right") and not self.passage.body.is_wide
        (self.sheet if is_sideways else self.passage.body).action_move(where)

    def whole(self) -> None:
        self.set_class(self.passage.has_focus_within, "-in-passage")
        self.toggle_class("-one-pane")

    def first_pane(self) -> None:
        if self.has_class("-one-pane") and not self.has_class("-in-passage"):
            self.sheet.focus()
        else:
            self.passage.focus()

    def other_pane(self) -> bool:
        to_sheet = self.passage.has_focus_within
        # shown before it is focused: what is not displayed cannot have the focus
        self.set_class(not to_sheet, "-in-passage")
        if to_sheet:
            self.sheet.focus()
            return True
        if self.sheet.has_focus:
            self.passage.focus()
        return False

    def bring_up(self) -> None:
        if self.has_class("-one-pane"):
            self.add_class("-in-passage")
            self.passage.focus()
