"""An item that is being authored: its text, what was said of it, and what systems answered."""

from __future__ import annotations

import sqlite3
from string import ascii_uppercase

from msgspec.structs import replace

from engine.labelling.items.corrections import with_given
from store.corpora import corpora
from store.datasets import datasets, revisions
from store.labels.forms import Hidden
from store.labels.log import authoring, reading
from store.labels.log.authoring import ANSWER, QUESTION, SystemAnswer
from store.labels.log.events import Subject
from tui.label.subjects.revision_view import RevisionShown, RevisionView, shown_of
from tui.language import later, tr
from tui.widgets.sheet import Block

_TO_DO: dict[str | None, str] = {
    QUESTION: later(
        "e writes a question and marks the spans that answer it; x skips, with a reason."
    ),
    ANSWER: later("e writes the final answer; x skips, and the lead decides."),
}


class AuthoredView(RevisionView):
    """Shows the item's text now, with the documents that were given while nothing is quoted."""

    @classmethod
    def load(cls, db: sqlite3.Connection, subject: Subject) -> RevisionShown:
        now = reading.authored(db, subject)
        sheet = revisions.sheet(db, now.standing.head)
        (turn, *_) = sheet.content.turns
        first = datasets.content(db, now.commission)
        content = with_given(sheet.content, first, now.place.form_key)
        corpus = corpora.get_by_id(db, datasets.get(db, sheet.dataset, archived=True).corpus_id)
        documents = corpora.documents_by_id(db, corpus, content.documents)
        sheet = replace(sheet, content=content, documents=documents)
        remarks = [
            Block(rater, text, "warn")
            for step in authoring.STEPS
            for (rater, _), text in reading.comments(db, step, subject).items()
        ]
        to_do = _TO_DO.get(now.place.form_key)
        if to_do is not None:
            remarks.append(Block("", tr(to_do), "muted"))
        answers = authoring.system_answers(db, now.item, turn.question) if turn.question else []
        return shown_of(sheet)._replace(above=tuple(remarks), below=tuple(_answers(answers)))

    def show(self, loaded: RevisionShown, hidden: frozenset[Hidden]) -> None:
        super().show(loaded, hidden | {"automatic_verdict"})


def _answers(answers: list[SystemAnswer]) -> list[Block]:
    """The answers by letters: whose they are would lead who reads them."""
    return [
        Block(f"{tr('system')} {letter}", one.answer)
        for letter, one in zip(ascii_uppercase, answers, strict=False)
    ]
