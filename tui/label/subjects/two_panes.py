"""A subject's text in one pane and its documents in the other: how one moves between them."""

from __future__ import annotations

from textual.app import ComposeResult

from tui.label.subjects.subject_view import SubjectView
from tui.language import tr
from tui.widgets.passage import Passage
from tui.widgets.sheet import Sheet, Unseen

LEAST_LINES = 4
"""Of a document below the text, its title counted in."""


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
        self.passage = Passage(
            empty=empty, loading=tr("Reading the documents."), classes="-documents"
        )
        self.passage.body.yields = self._reads_on

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

    def on_resize(self) -> None:
        self.call_after_refresh(self.make_room)

    def make_room(self) -> None:
        """Gives the text the room to show all that is to be read, down to a few lines of a
        document below it, and the document what a short text leaves."""
        most = max(self.size.height - max(LEAST_LINES, self.size.height // 5), 0)
        self.sheet.styles.min_height = min(self.sheet.lines_to_read + 1, most)
        is_above = self.styles.layout is not None and self.styles.layout.name == "vertical"
        self.sheet.styles.max_height = self.sheet.lines + 1 if is_above else None

    @property
    def unseen(self) -> Unseen | None:
        return self.sheet.unseen

    def move(self, where: str) -> None:
        self.passage.body.action_move(where)

    def _reads_on(self, where: str) -> bool:
        """What is to be read goes before the document, and so does a table that is wider than its
        place while the document has none."""
        unseen = self.unseen
        is_unread = unseen is not None and unseen.verb == where
        is_sideways = where in ("left", "right") and not self.passage.body.is_wide
        if is_unread or is_sideways:
            self.sheet.action_move(where)
        return is_unread or is_sideways

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
