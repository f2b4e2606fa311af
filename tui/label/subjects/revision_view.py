"""An item's text beside the documents of its evidence, for forms about revisions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.corpus.naming import heading, known_as
from store.datasets import inspections, revisions
from store.datasets.inspections import Inspection
from store.datasets.revisions import RevisionSheet
from store.labels.forms import Hidden
from store.labels.log.events import Subject
from store.records import Evidence
from tui.label.subjects.revision_sheet import (
    automatic_texts,
    cell_text,
    evidence_of,
    revision_lines,
)
from tui.label.subjects.two_panes import TwoPanes
from tui.language import tr
from tui.results.exhibits import SHORTEST_FORM
from tui.shell.clipboard import Copyable, copyable
from tui.widgets.marks import Mark, whole_occurrences
from tui.widgets.search import Among
from tui.widgets.sheet import Block


class RevisionShown(NamedTuple):
    """All that the view shows of a revision, read ahead."""

    sheet: RevisionSheet
    marks: dict[str, tuple[Mark, ...]]
    """By document: evidence and golden answers."""
    inspections: tuple[Inspection, ...] = ()
    """Of automatic inspection, on any text of the item."""
    above: tuple[Block, ...] = ()
    below: tuple[Block, ...] = ()
    """What stands above and below the text of an item that is authored."""


def shown_of(sheet: RevisionSheet, of_item: Sequence[Inspection] = ()) -> RevisionShown:
    """A revision with its marks."""
    marks = {key: _marks(sheet, key) for key in sheet.documents}
    return RevisionShown(sheet, marks, tuple(of_item))


class RevisionView(TwoPanes):
    """Question or turns, golden answers and evidence in one pane; in the other a document."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(title="item", empty=tr("The item names no evidence."), id=id)
        self.shown: RevisionShown | None = None
        self.evidence: tuple[Evidence, ...] = ()
        self.at = 0
        """Which piece of evidence is shown, counted from 0."""

    @classmethod
    def load(cls, db: sqlite3.Connection, subject: Subject) -> RevisionShown:
        (revision,) = subject.numbers
        sheet = revisions.sheet(db, revision)
        return shown_of(sheet, inspections.of_item(db, sheet.item))

    def show(self, loaded: RevisionShown, hidden: frozenset[Hidden]) -> None:
        self.shown = loaded
        self.evidence = evidence_of(loaded.sheet.content)
        lines = revision_lines(loaded.sheet, loaded.inspections, hidden, loaded.above, loaded.below)
        # a later version would say that something was found wanting before
        version = "" if hidden else tr("  version {number}", number=loaded.sheet.number)
        self.sheet.show(lines, title=tr("item") + version, source=loaded.sheet.item_key)
        self.make_room()
        self._show_evidence(0)

    def context(self) -> tuple[str, ...]:
        if self.shown is None:
            return ()
        sheet = self.shown.sheet
        return (sheet.dataset, cell_text(sheet), sheet.item_key)

    def copies(self) -> Iterator[Copyable]:
        if self.shown is None:
            return
        sheet = self.shown.sheet
        for number, turn in enumerate(sheet.content.turns, 1):
            at = f" {number}" if len(sheet.content.turns) > 1 else ""
            yield copyable(f"question{at}", turn.question)
            yield copyable(tr("golden answer{at}", at=at), "\n".join(turn.golden_answers))
        if self.evidence:
            one = self.evidence[self.at]
            yield copyable("evidence", one.quote or "")
            document = sheet.documents.get(one.document_id)
            if document is not None:
                yield copyable("document", document.text)
        yield copyable("id", sheet.item_key)

    def revealed_words(self) -> str:
        if self.shown is None:
            return ""
        return "   ".join(automatic_texts(self.shown.sheet, self.shown.inspections))

    # Documents

    @property
    def has_more_documents(self) -> bool:
        return len(self.evidence) > 1

    def _show_evidence(self, at: int) -> None:
        self.at = at
        if self.shown is None:
            return
        if not self.evidence:
            self.passage.show("")
            return
        one = self.evidence[at]
        document = self.shown.sheet.documents.get(one.document_id)
        name = tr("evidence {at}/{number}", at=at + 1, number=len(self.evidence))
        if document is None:
            self.passage.show(one.quote or "", title=tr("{name}  its document is gone", name=name))
            return
        whole = tr("  whole document") if one.start is None else ""
        # the title names this evidence already; beside it stands what else the cursor is on
        own = tr("evidence {at}", at=at + 1)
        marks = [
            mark._replace(label="") if mark.label == own else mark
            for mark in self.shown.marks[one.document_id]
        ]
        self.passage.show(
            document.text,
            marks,
            title=f"{name}{whole}  {heading(document)}",
            source=known_as(document),
            among=self._among(at),
        )
        mark = next((mark for mark in marks if mark.kind == "evidence" and not mark.label), None)
        if mark is not None:
            self.passage.go_to(mark)

    def _among(self, at: int) -> Among:
        """The documents of the evidence, each once."""
        assert self.shown is not None
        documents = self.shown.sheet.documents
        first = {one.document_id: number for number, one in reversed([*enumerate(self.evidence)])}
        places = sorted(number for key, number in first.items() if key in documents)
        here = places.index(first[self.evidence[at].document_id])
        return Among(
            [
                tr("evidence {place}/{number}", place=place + 1, number=len(self.evidence))
                for place in places
            ],
            [documents[self.evidence[place].document_id].text for place in places],
            *(here, lambda number: self._show_evidence(places[number])),
        )

    def step(self, by: int) -> None:
        if self.evidence:
            self._show_evidence((self.at + by) % len(self.evidence))


def _marks(sheet: RevisionSheet, document_id: str) -> tuple[Mark, ...]:
    text = sheet.documents[document_id].text
    marks = [
        Mark(one.start, one.end, "evidence", tr("evidence {number}", number=number))
        for number, one in enumerate(evidence_of(sheet.content), 1)
        if one.document_id == document_id and one.start is not None and one.end is not None
    ]
    forms = {form for turn in sheet.content.turns for form in turn.golden_answers}
    spans = {
        span
        for form in forms
        if len(form.strip()) >= SHORTEST_FORM
        for span in whole_occurrences(text, form)
    }
    marks += [Mark(start, end, "match", tr("golden answer")) for start, end in sorted(spans)]
    return tuple(sorted(marks))
