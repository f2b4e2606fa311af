"""Two answers to one question side by side, for forms that compare them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Container

from engine.labelling.reading.answer_records import AnswerReading
from store.labels.forms import Hidden
from store.labels.log.events import Subject
from tui.label.subjects.answer_sheet import (
    answer_blocks,
    asked_blocks,
    comparison_legend,
    label_column,
    signs_blocks,
)
from tui.label.subjects.answer_view import AnswerShown, load_answer
from tui.label.subjects.subject_view import SubjectView
from tui.language import tr
from tui.shell.clipboard import Copyable, copyable
from tui.widgets.line import Piece
from tui.widgets.passage import Passage
from tui.widgets.search import Among
from tui.widgets.sheet import Block, Lay, Sheet, Unseen, lay_blocks

NAMES = ("A", "B")


class PairShown(NamedTuple):
    """Both answers, in the order in which the pair has them."""

    answers: tuple[AnswerShown, AnswerShown]


class PairView(SubjectView):
    """The question with its golden answers above; A and B below, beside each other where there is
    room. What was retrieved for them opens under them when it is asked for."""

    SCOPED_CSS = False
    DEFAULT_CSS = """
    PairView { layout: vertical; }
    PairView > #pair-question { height: 7; }
    .-tall PairView > #pair-question { height: 8; }
    PairView > #pair-answers { height: 1fr; layout: vertical; }
    .-wide PairView > #pair-answers { layout: horizontal; }
    .-wide PairView #pair-b { margin-left: 2; }
    PairView > Passage { height: 1fr; display: none; }
    PairView.-reading > Passage { display: block; }
    .-short PairView.-reading > #pair-answers { display: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.question = Sheet(title="question", id="pair-question")
        self.sheets = (Sheet(title="A", id="pair-a"), Sheet(title="B", id="pair-b"))
        self.passage = Passage(
            empty=tr("Nothing was retrieved for either."), loading=tr("Reading the documents.")
        )
        self.shown: PairShown | None = None
        self.hidden: frozenset[Hidden] = frozenset()
        self.readings: tuple[AnswerReading | None, ...] = (None, None)
        self.others: tuple[Block, ...] = ()
        self.at = -1
        """Which document is shown, counted from 0 over those of A and then of B."""

    def compose(self) -> ComposeResult:
        yield self.question
        with Container(id="pair-answers"):
            yield from self.sheets
        yield self.passage

    @classmethod
    def load(cls, db: sqlite3.Connection, subject: Subject) -> PairShown:
        first, second = subject.numbers
        return PairShown((load_answer(db, first), load_answer(db, second)))

    def show(self, loaded: PairShown, hidden: frozenset[Hidden]) -> None:
        is_other = loaded is not self.shown
        self.shown, self.hidden, self.others = loaded, hidden, ()
        if is_other:
            self.readings = (None, None)
            self.at = -1
            self.passage.show("")
            self.remove_class("-reading")
        self._lay(from_top=is_other)

    def read(self, readings: Sequence[AnswerReading]) -> None:
        """Show how both answers compare with the golden one, by a reading of them."""
        self.readings = tuple(readings)
        self._lay(from_top=False)

    def tell_others(self, labels: Sequence[Block]) -> None:
        """Show the labels of other raters."""
        self.others = tuple(labels)
        self._lay(from_top=False)

    def context(self) -> tuple[str, ...]:
        if self.shown is None:
            return ()
        one, other = (answer.detail for answer in self.shown.answers)
        systems = tr("systems ***")
        if "system_name" not in self.hidden:
            systems = f"A {one.system_name}, B {other.system_name}"
        return (systems, self.shown.answers[0].cell, one.item_key)

    def copies(self) -> Iterator[Copyable]:
        if self.shown is None:
            return
        detail = self.shown.answers[0].detail
        for name, answer in zip(NAMES, self.shown.answers, strict=True):
            yield copyable(tr("answer {name}", name=name), answer.detail.answer or "")
        yield copyable("question", detail.content.turns[detail.turn].question)
        yield copyable("id", detail.item_key)

    def revealed_words(self) -> str:
        if self.shown is None:
            return ""
        one, other = (answer.detail.system_name for answer in self.shown.answers)
        return tr("A is {one}, B is {other}", one=one, other=other)

    def _lay(self, *, from_top: bool) -> None:
        if self.shown is None:
            return
        first = self.shown.answers[0]
        detail, history = first.detail, first.history
        head = asked_blocks(detail, history)
        if not self.hidden:
            head += self.others
        self.question.show(
            lines_of(head),
            source=detail.item_key,
            from_top=from_top,
        )
        legend = comparison_legend()
        for sheet, name, answer, reading in zip(
            self.sheets, NAMES, self.shown.answers, self.readings, strict=True
        ):
            tail = signs_blocks(answer.detail, reading)
            column = label_column(tail)
            answered = answer_blocks(answer.detail, reading, column)
            blocks = [*(block._replace(part=name) for block in answered), *tail]
            if reading is not None and sheet is self.sheets[-1]:
                blocks.append(Block("", legend, "muted"))
            title = name if self.hidden else f"{name}  {answer.detail.system_name}"
            sheet.show(lines_of(blocks, column + 2), title=title, from_top=from_top)

    # Documents

    @property
    def has_more_documents(self) -> bool:
        return bool(self._places())

    def next_passage(self) -> None:
        self._step(1)

    def previous_passage(self) -> None:
        self._step(-1)

    def whole(self) -> None:
        """The documents, or both answers with all of the room."""
        if self.has_class("-reading"):
            self.remove_class("-reading")
        else:
            self.bring_up()

    def move(self, where: str) -> None:
        """The page keys read on in both answers, or in the document while it is shown."""
        unread = [sheet for sheet in self._all_sheets if sheet.unseen]
        if self.has_class("-reading") and not unread:
            self.passage.body.action_move(where)
            return
        for sheet in unread or self.sheets:
            sheet.action_move(where)

    @property
    def _all_sheets(self) -> tuple[Sheet, ...]:
        return (self.question, *self.sheets)

    @property
    def unseen(self) -> Unseen | None:
        unread = [unseen for sheet in self._all_sheets if (unseen := sheet.unseen)]
        if not unread:
            return None
        parts = ", ".join(dict.fromkeys(one.parts for one in unread))
        return Unseen(parts, unread[0].verb)

    def bring_up(self) -> None:
        self.add_class("-reading")
        if self.at < 0:
            self._show(0)

    def _step(self, by: int) -> None:
        if not self.has_class("-reading"):
            self.bring_up()
            return
        count = len(self._places())
        if count:
            self._show((self.at + by) % count)

    def _places(self) -> list[tuple[int, int]]:
        """For each document whose answer it goes with, and its place among those of that one."""
        if self.shown is None:
            return []
        return [
            (answer, at)
            for answer in range(2)
            for at in range(len(self.shown.answers[answer].shelf.documents))
        ]

    def _show(self, at: int) -> None:
        places = self._places()
        if self.shown is None or not places:
            return
        self.at = at
        answer, place = places[at]
        shelf = self.shown.answers[answer].shelf
        title = f"{NAMES[answer]}  {shelf.title(place)}"
        shelves = [self.shown.answers[one].shelf for one in range(2)]
        among = Among(
            [f"{NAMES[one]} {shelves[one].number(there)}" for one, there in places],
            [shelves[one].documents[there].text for one, there in places],
            *(at, self._show),
        )
        one = shelf.documents[place]
        self.passage.show(one.text, shelf.marks[place], title=title, source=one.source, among=among)

    # Panes

    def _panes(self) -> list[Sheet | Passage]:
        panes: list[Sheet | Passage] = [self.question, *self.sheets]
        return [*panes, self.passage] if self.has_class("-reading") else panes

    def first_pane(self) -> None:
        self.sheets[0].focus()

    def other_pane(self) -> bool:
        order = [*self._panes()[1:], self.question]
        at = next((at for at, pane in enumerate(order) if pane.has_focus_within), len(order))
        if at + 1 >= len(order):
            return False
        order[at + 1].focus()
        return True


def lines_of(blocks: Sequence[Block], column: int = 0) -> Lay:
    """Blocks for the width at hand; `column` is the width of their labels if not their own."""

    def lay(width: int) -> list[list[Piece]]:
        return lay_blocks(blocks, width, column)

    return lay
