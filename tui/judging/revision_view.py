"""An item's text beside the documents of its evidence, for forms about revisions."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from textual.app import ComposeResult

from store import inspections, revisions
from store.forms import Hidden
from store.inspections import Verdict
from store.label_events import Subject
from store.records import Evidence
from store.revisions import RevisionSheet
from tui.judging.revision_sheet import automatic_texts, cell_text, evidence_of, revision_lines
from tui.judging.subject_view import SubjectView
from tui.screens.exhibits import SHORTEST_FORM
from tui.widgets.marks import Mark
from tui.widgets.overlaps import whole_occurrences
from tui.widgets.passage import Passage
from tui.widgets.sheet import Sheet


class RevisionShown(NamedTuple):
    """All that the view shows of a revision, read ahead."""

    sheet: RevisionSheet
    marks: dict[str, tuple[Mark, ...]]
    """By document: evidence and golden answers."""
    verdicts: tuple[Verdict, ...]
    """Of automatic inspection, on any text of the item."""


class RevisionView(SubjectView):
    """Question or turns, golden answers and evidence in one pane; in the other a document."""

    SCOPED_CSS = False  # the width that matters is the screen's
    DEFAULT_CSS = """
    RevisionView { layout: vertical; }
    RevisionView > Sheet { height: 2fr; }
    RevisionView > Passage { height: 3fr; }
    .-wide RevisionView { layout: horizontal; }
    .-wide RevisionView > Sheet { width: 1fr; height: 1fr; }
    .-wide RevisionView > Passage { width: 1fr; height: 1fr; margin-left: 2; }
    RevisionView.-one-pane > Passage { display: none; }
    RevisionView.-one-pane.-in-passage > Passage { display: block; margin-left: 0; }
    RevisionView.-one-pane.-in-passage > Sheet { display: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.sheet = Sheet(title="item")
        self.passage = Passage(empty="The item names no evidence.")
        self.shown: RevisionShown | None = None
        self.evidence: tuple[Evidence, ...] = ()
        self.at = 0
        """Which piece of evidence is shown, counted from 0."""

    def compose(self) -> ComposeResult:
        yield self.sheet
        yield self.passage

    @classmethod
    def load(cls, db: sqlite3.Connection, subject: Subject) -> RevisionShown:
        (revision,) = subject.numbers
        sheet = revisions.sheet(db, revision)
        marks = {key: _marks(sheet, key) for key in sheet.documents}
        return RevisionShown(sheet, marks, tuple(inspections.verdicts(db, sheet.item)))

    def show(self, loaded: RevisionShown, hidden: frozenset[Hidden]) -> None:
        self.shown = loaded
        self.evidence = evidence_of(loaded.sheet.content)
        lines = revision_lines(loaded.sheet, loaded.verdicts, hidden)
        # a later version would say that something was found wanting before
        version = "" if hidden else f"  version {loaded.sheet.number}"
        self.sheet.show(lines, title=f"{loaded.sheet.item_key}{version}")
        self._show_evidence(0)

    def clear(self) -> None:
        self.shown = None
        self.sheet.show(None)
        self.passage.show("")

    def context(self) -> tuple[str, ...]:
        if self.shown is None:
            return ()
        sheet = self.shown.sheet
        return (sheet.dataset, cell_text(sheet), sheet.item_key)

    def revealed_words(self) -> str:
        if self.shown is None:
            return ""
        return "   ".join(automatic_texts(self.shown.sheet, self.shown.verdicts))

    # Documents

    def _show_evidence(self, at: int) -> None:
        self.at = at
        if self.shown is None or not self.evidence:
            self.passage.show("")
            return
        one = self.evidence[at]
        document = self.shown.sheet.documents.get(one.document_id)
        name = f"evidence {at + 1}/{len(self.evidence)}"
        if document is None:
            self.passage.show(one.quote or "", title=f"{name}  its document is gone")
            return
        source = document.title or document.external_id or document.path.rpartition("/")[2]
        marks = self.shown.marks[one.document_id]
        whole = "  whole document" if one.start is None else ""
        self.passage.show(document.text, marks, title=f"{name}{whole}  {source}")
        mark = next((mark for mark in marks if mark.label == f"evidence {at + 1}"), None)
        if mark is not None:
            self.passage.go_to(mark)

    def next_passage(self) -> None:
        self._step(1)

    def previous_passage(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        if self.evidence:
            self._show_evidence((self.at + by) % len(self.evidence))
            self._bring_up_passage()

    # Panes

    def move(self, where: str) -> None:
        self.passage.body.action_move(where)

    def find(self) -> None:
        self._bring_up_passage()
        self.passage.body.action_find()

    def next_mark(self) -> None:
        self._bring_up_passage()
        self.passage.body.action_next_mark()

    def previous_mark(self) -> None:
        self._bring_up_passage()
        self.passage.body.action_previous_mark()

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

    def _bring_up_passage(self) -> None:
        """What a key of the passage did is to be seen, even where only one pane is shown."""
        if self.has_class("-one-pane"):
            self.add_class("-in-passage")
            self.passage.focus()


def _marks(sheet: RevisionSheet, document_id: str) -> tuple[Mark, ...]:
    text = sheet.documents[document_id].text
    marks = [
        Mark(one.start, one.end, "evidence", f"evidence {number}")
        for number, one in enumerate(evidence_of(sheet.content), 1)
        if one.document_id == document_id and one.start is not None and one.end is not None
    ]
    forms = {form for turn in sheet.content.turns for form in turn.golden_answers}
    found = {
        span
        for form in forms
        if len(form.strip()) >= SHORTEST_FORM
        for span in whole_occurrences(text, form)
    }
    marks += [Mark(start, end, "match", "golden answer") for start, end in sorted(found)]
    return tuple(sorted(marks))
