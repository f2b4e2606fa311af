"""One answer beside what was retrieved for it, for forms about predictions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical

from engine.corpus.naming import heading
from engine.labelling.reading.answer_records import AnswerReading
from engine.labelling.reading.retrieved import GONE
from store.corpora import corpora, taxonomies
from store.corpora.corpora import LiveDocument
from store.datasets import datasets
from store.labels.forms import Hidden
from store.labels.log.events import Subject
from store.records import HistoryMode
from store.runs import details, runs
from store.runs.details import PredictionDetail
from tui.label.subjects.answer_sheet import answer_lines, comparison_legend, marks_legend
from tui.label.subjects.two_panes import TwoPanes
from tui.language import tr
from tui.results.exhibits import Exhibit, exhibits, marks_in
from tui.screens.labels import cell_of
from tui.shell.clipboard import Copyable, copyable
from tui.shell.theme import SIGNS
from tui.widgets.line import Piece, TextLines
from tui.widgets.marks import SIGNS_OF_KINDS, Mark
from tui.widgets.search import Among
from tui.widgets.sheet import Block

LISTED = 5
"""Documents whose names are in sight at once."""


class Shelf(NamedTuple):
    """The documents that go with an answer: what was retrieved, in its order, then the evidence."""

    documents: tuple[Exhibit, ...]
    names: tuple[str, ...]
    marks: tuple[tuple[Mark, ...], ...]

    def title(self, at: int) -> str:
        """`retrieved 1/5  annual report`; nothing of how the retriever scored it, because that
        would tell which it is."""
        return f"{self.number(at)}  {self.names[at]}"

    def number(self, at: int) -> str:
        """`retrieved 1/5`."""
        kind = self.documents[at].kind
        kinds = [one.kind for one in self.documents]
        return f"{tr(kind)} {at - kinds.index(kind) + 1}/{kinds.count(kind)}"

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(map(self.number, range(len(self.documents))))

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(one.text for one in self.documents)

    def line(self, at: int, *, is_open: bool) -> list[Piece]:
        """A document in the list: its kind by a sign, its name, what is marked in it."""
        kinds = dict.fromkeys(mark.kind for mark in self.marks[at] if mark.kind != "evidence")
        signs = "".join(SIGNS_OF_KINDS[kind] for kind in ("match", "answer") if kind in kinds)
        cursor = SIGNS.cursor if is_open else " "
        return [(f"{cursor} {self.number(at):<14} {signs:<2} {self.names[at]}", "")]


class AnswerShown(NamedTuple):
    """All that the view shows of an answer, read ahead."""

    detail: PredictionDetail
    history: HistoryMode
    shelf: Shelf
    cell: str
    """Task and topic by the names of the dataset's own taxonomy."""


def load_answer(db: sqlite3.Connection, prediction: int) -> AnswerShown:
    """An answer with its documents. NotFound when there is none of that number."""
    detail = details.prediction(db, prediction)
    run = runs.get(db, detail.run_id)
    corpus = corpora.get_by_id(db, detail.corpus_id)
    wanted = [hit.document_id for hit in detail.hits or ()]
    wanted += [one.document_id for one in detail.evidence]
    documents = corpora.documents_by_id(db, corpus, wanted)
    dataset = datasets.of_release(db, run.release_id)
    cell = cell_of(taxonomies.get(db, dataset.taxonomy_id), detail.content)
    return AnswerShown(detail, run.system.history, shelf_of(detail, documents), cell)


def shelf_of(detail: PredictionDetail, documents: dict[str, LiveDocument]) -> Shelf:
    shown = sorted(exhibits(detail, documents), key=lambda one: one.kind != "retrieved")
    names = [
        heading(documents[one.document_id]) if one.document_id in documents else GONE
        for one in shown
    ]
    return Shelf(tuple(shown), tuple(names), tuple(_marks(one, detail) for one in shown))


def _marks(one: Exhibit, detail: PredictionDetail) -> tuple[Mark, ...]:
    """What the golden answers and the answer say, and in the evidence itself what it is. What was
    retrieved is rated by what it says, not by where the evidence lies."""
    kept = (
        mark for mark in marks_in(one, detail) if mark.kind != "evidence" or one.kind == "evidence"
    )
    return tuple(mark._replace(label="") for mark in kept)


class AnswerView(TwoPanes):
    """Question, golden answers and answer in one pane; in the other a document, below the list of
    those that were retrieved."""

    SCOPED_CSS = False
    DEFAULT_CSS = """
    AnswerView > Sheet { height: 3fr; }
    AnswerView > .-documents { height: 3fr; }
    .-short AnswerView > .-documents { height: 2fr; }
    .-wide AnswerView > Sheet { height: 1fr; }
    .-wide AnswerView > .-documents { width: 1fr; height: 1fr; margin-left: 2; }
    AnswerView Passage { height: 1fr; }
    AnswerView TextLines { display: none; }
    .-tall AnswerView TextLines { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(title="answer", empty=tr("Nothing was retrieved for it."), id=id)
        self.passage.remove_class("-documents")
        self.names = TextLines(LISTED)
        self.legend = TextLines(1)
        self.shown: AnswerShown | None = None
        self.hidden: frozenset[Hidden] = frozenset()
        self.reading: AnswerReading | None = None
        """How the answer compares with the golden one; None until that may be shown."""
        self.others: tuple[Block, ...] = ()
        """The labels of other raters, once they may be seen."""
        self.at = 0
        """Which document is shown, counted from 0."""

    def compose(self) -> ComposeResult:
        yield self.sheet
        with Vertical(classes="-documents"):
            yield self.names
            yield self.passage
            yield self.legend

    @classmethod
    def load(cls, db: sqlite3.Connection, subject: Subject) -> AnswerShown:
        (prediction,) = subject.numbers
        return load_answer(db, prediction)

    def show(self, loaded: AnswerShown, hidden: frozenset[Hidden]) -> None:
        is_other = self.shown is None or loaded.detail.id != self.shown.detail.id
        self.shown, self.hidden, self.others = loaded, hidden, ()
        if is_other:
            self.reading = None
        self._lay(from_top=is_other)
        self.make_room()
        if is_other:
            self.names.styles.height = min(len(loaded.shelf.documents), LISTED)
            self._show_document(0)

    def read(self, readings: Sequence[AnswerReading]) -> None:
        """Show how the answer compares with the golden one, by a reading of it."""
        (self.reading,) = readings
        self._lay(from_top=False)

    def tell_others(self, labels: Sequence[Block]) -> None:
        """Show the labels of other raters."""
        self.others = tuple(labels)
        self._lay(from_top=False)

    def context(self) -> tuple[str, ...]:
        if self.shown is None:
            return ()
        detail = self.shown.detail
        turns = len(detail.content.turns)
        turn = tr("turn {turn} of {turns}", turn=detail.turn + 1, turns=turns) if turns > 1 else ""
        is_hidden = "system_name" in self.hidden
        system = (
            tr("system ***")
            if is_hidden
            else tr("system {system_name}", system_name=detail.system_name)
        )
        return tuple(filter(None, (system, self.shown.cell, detail.item_key, turn)))

    def copies(self) -> Iterator[Copyable]:
        if self.shown is None:
            return
        detail = self.shown.detail
        turn = detail.content.turns[detail.turn]
        yield copyable("answer", detail.answer or "")
        yield copyable("question", turn.question)
        yield copyable(tr("golden answer"), "\n".join(turn.golden_answers))
        if self.shown.shelf.documents:
            yield copyable("document", self.shown.shelf.documents[self.at].text)
        yield copyable("id", detail.item_key)

    def revealed_words(self) -> str:
        if self.shown is None:
            return ""
        return tr(
            "system {system_name}; judges and raters are below the answer",
            system_name=self.shown.detail.system_name,
        )

    def _lay(self, *, from_top: bool) -> None:
        if self.shown is None:
            return
        detail, history = self.shown.detail, self.shown.history
        revealed = None if self.hidden else (Block(tr("system"), detail.system_name), *self.others)
        lines = answer_lines(detail, history, self.reading, revealed)
        legend = marks_legend() if self.reading is None else comparison_legend()
        self.legend.show([[(legend, "muted")]])
        self.sheet.show(lines, from_top=from_top)

    # Documents

    @property
    def has_more_documents(self) -> bool:
        return self.shown is not None and len(self.shown.shelf.documents) > 1

    def step(self, by: int) -> None:
        if self.shown is not None and self.shown.shelf.documents:
            self._show_document((self.at + by) % len(self.shown.shelf.documents))

    def _show_document(self, at: int) -> None:
        self.at = at
        if self.shown is None:
            return
        if not self.shown.shelf.documents:
            self.passage.show("")
            return
        shelf = self.shown.shelf
        among = Among(shelf.numbers, shelf.texts, at, self._show_document)
        self.passage.show(
            shelf.documents[at].text,
            shelf.marks[at],
            title=shelf.title(at),
            source=shelf.documents[at].source,
            among=among,
        )
        first = min(max(at - LISTED + 1, 0), max(len(shelf.documents) - LISTED, 0))
        listed = range(first, min(first + LISTED, len(shelf.documents)))
        self.names.show([shelf.line(one, is_open=one == at) for one in listed])
