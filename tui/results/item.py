"""The screen of one answer beside its evidence and the retrieved passages."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget

from engine.generate.making import MadeStage, made_in
from engine.labelling.forms import load_form
from engine.results.blame import Blamed
from engine.results.blamed import blamed_prediction
from store.corpora import corpora
from store.corpora.corpora import LiveDocument
from store.labels import consensus
from store.labels.consensus import Settled
from store.labels.log.events import Subject
from store.records import HistoryMode
from store.runs import calls, details, runs
from store.runs.details import PredictionDetail
from tui.language import tr
from tui.results.calls import calls_sheet
from tui.results.exhibits import Exhibit, exhibits, first_mark, legend, marks_in
from tui.results.item_sheet import sheet
from tui.results.keys import ACTIONS
from tui.results.selection import Selection
from tui.screens.making import MakingScreen
from tui.screens.place import PlaceScreen
from tui.shell.clipboard import Copyable, copyable
from tui.widgets.line import TextLines
from tui.widgets.passage import Passage
from tui.widgets.search import Among
from tui.widgets.sheet import Sheet

Loaded = tuple[PredictionDetail, HistoryMode, dict[str, LiveDocument], Blamed, Sequence[Settled]]


def load(db: sqlite3.Connection, prediction_id: int) -> Loaded:
    """Reads the prediction, the earlier turns that its system saw, the documents it refers to,
    what to blame for it, and what people labelled it."""
    detail = details.prediction(db, prediction_id)
    run = runs.get(db, detail.run_id)
    corpus = corpora.get_by_id(db, detail.corpus_id)
    wanted = [one.document_id for one in detail.evidence]
    wanted += [hit.document_id for hit in detail.hits or ()]
    documents = corpora.documents_by_id(db, corpus, wanted)
    subject = Subject("prediction", str(prediction_id))
    labelled = consensus.settled(db, load_form("judge_labels"), subject=subject)
    return detail, run.system.history, documents, blamed_prediction(db, run, detail), labelled


class ItemScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "item"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,shift+tab", "other_pane", tr("other pane"), show=False),
    ]

    def __init__(self, selection: Selection, ids: Sequence[int], index: int) -> None:
        super().__init__()
        self.selection = selection
        self.ids = ids
        self.index = index
        self.sheet = Sheet(title="answer", id="answer")
        self.passage = Passage(id="passage", empty=tr("The item names no evidence."))
        self.legend = TextLines(1, id="legend")
        self.detail: PredictionDetail | None = None
        self.history = HistoryMode.GOLD
        self.blamed: Blamed | None = None
        self.labelled: Sequence[Settled] = ()
        self.exhibits: tuple[Exhibit, ...] = ()
        self.exhibit = 0
        self.shows_calls = False

    def compose_body(self) -> Iterator[Widget]:
        with Container(id="item-body"):
            yield self.sheet
            with Vertical(id="beside"):
                yield self.passage
                yield self.legend

    def on_mount(self) -> None:
        super().on_mount()
        self.sheet.focus()
        self._load()

    def context(self) -> tuple[str, ...]:
        chosen = self.selection
        place = tr("{index} of {number:,}", index=self.index + 1, number=len(self.ids))
        key = self.detail.item_key if self.detail is not None else ""
        return (place, chosen.where, key, chosen.run_name)

    @property
    def run_name(self) -> str:
        return self.selection.run_name

    def idle_keys(self) -> Collection[str]:
        kinds = {one.kind for one in self.exhibits}
        marks = ("item.next_mark", "item.previous_mark")
        passages = ("item.next_passage", "item.previous_passage")
        return {
            *(() if self.index + 1 < len(self.ids) else ("item.next",)),
            *(() if self.index else ("item.previous",)),
            *(() if len(self.exhibits) > 1 else passages),
            *(() if len(kinds) > 1 else ("item.switch",)),
            *(marks if self.passage.body.idle_keys else ()),
        }

    def copies(self) -> Iterator[Copyable]:
        if (detail := self.detail) is not None:
            turn = detail.content.turns[detail.turn]
            yield copyable("question", turn.question)
            yield copyable(tr("golden answer"), "\n".join(turn.golden_answers))
            yield copyable("answer", detail.answer or "")
            yield copyable("id", detail.item_key)
        yield from super().copies()

    def command(self) -> Sequence[str]:
        fact = self.host.facts.find(f"run {self.selection.run_id}")
        if fact is None or self.detail is None:
            return ()
        return ("show", self.detail.item_key, "--dataset", fact.release.partition("@")[0])

    # What is shown

    def _load(self) -> None:
        loaded = self.host.read(lambda db: load(db, self.ids[self.index]))
        if loaded is None:
            return
        self.detail, self.history, documents, self.blamed, self.labelled = loaded
        self.exhibits = exhibits(self.detail, documents)
        self._show_sheet(self.detail)
        self._show_exhibit(0)
        self.show_where()

    def _show_sheet(self, detail: PredictionDetail) -> None:
        """Shows the answer with its scores, or what stages and judges asked about it."""
        title = self._title(detail)
        if not self.shows_calls:
            text = sheet(detail, self.history, self.blamed, self.labelled)
            self.sheet.show(text, title=title)
            return
        asked = self.host.read(lambda db: calls.of_prediction(db, detail.id))
        if asked is not None:
            self.sheet.show(
                calls_sheet(asked),
                title=tr("what was asked  {title}", title=title),
            )

    @staticmethod
    def _title(detail: PredictionDetail) -> str:
        turns = len(detail.content.turns)
        turn = (
            tr("turn {turn} of {turns}  ", turn=detail.turn + 1, turns=turns) if turns > 1 else ""
        )
        repeat = tr("repeat {repeat}  ", repeat=detail.repeat + 1) if detail.repeat else ""
        return tr(
            "{turn}{repeat}answer of {system_name}",
            turn=turn,
            repeat=repeat,
            system_name=detail.system_name,
        )

    def _show_exhibit(self, number: int) -> None:
        self.exhibit = number
        if not self.exhibits:
            self.passage.show("")
            return
        shown = self.exhibits[number]
        marks = marks_in(shown, self.detail) if self.detail is not None else ()
        self.legend.show([legend(marks)])
        names = [" ".join(one.title.split(" ", 2)[:2]) for one in self.exhibits]
        texts = [one.text for one in self.exhibits]
        among = Among(names, texts, number, self._show_exhibit)
        self.passage.show(shown.text, marks, title=shown.title, source=shown.source, among=among)
        first = first_mark(shown, marks)
        if first is not None:
            self.passage.go_to(first)

    # Actions

    def action_next(self) -> None:
        self._step(1)

    def action_previous(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        index = self.index + by
        if 0 <= index < len(self.ids):
            self.index = index
            self._load()

    def action_next_passage(self) -> None:
        self._show_next(1)

    def action_previous_passage(self) -> None:
        self._show_next(-1)

    def _show_next(self, by: int) -> None:
        if self.exhibits:
            self._show_exhibit((self.exhibit + by) % len(self.exhibits))
            self._bring_up_passage()

    def action_switch(self) -> None:
        """Goes to the first exhibit of the next kind."""
        if not self.exhibits:
            return
        kind = self.exhibits[self.exhibit].kind
        ahead = [*range(self.exhibit, len(self.exhibits)), *range(self.exhibit)]
        others = [at for at in ahead if self.exhibits[at].kind != kind]
        if others:
            self._show_exhibit(others[0])
            self._bring_up_passage()

    def action_calls(self) -> None:
        self.shows_calls = not self.shows_calls
        if self.detail is not None:
            self._show_sheet(self.detail)
            if self.passage.has_focus_within:
                self._focus_pane(in_passage=False)

    def action_making(self) -> None:
        """Shows the stages that the item was written in."""
        detail = self.detail
        if detail is None:
            return

        def read(db: sqlite3.Connection) -> tuple[MadeStage, ...]:
            return made_in(db, corpora.get_by_id(db, detail.corpus_id), detail.item_id)

        stages = self.host.read(read)
        if stages is not None:
            self.app.push_screen(MakingScreen(stages, detail.item_key))

    def action_whole(self) -> None:
        """Shows one pane alone, or both again."""
        self.set_class(self.passage.has_focus_within, "-in-passage")
        self.toggle_class("-one-pane")

    def action_other_pane(self) -> None:
        self._focus_pane(in_passage=not self.passage.has_focus_within)

    def _focus_pane(self, *, in_passage: bool) -> None:
        # shown before it is focused: what is not displayed cannot have the focus
        self.set_class(in_passage, "-in-passage")
        (self.passage if in_passage else self.sheet).focus()

    def _bring_up_passage(self) -> None:
        """Shows the passage after one of its keys, even if only the other pane was visible."""
        if self.has_class("-one-pane"):
            self._focus_pane(in_passage=True)

    def action_find(self) -> None:
        self._bring_up_passage()
        self.passage.body.action_find()

    def action_next_mark(self) -> None:
        self._bring_up_passage()
        self.passage.body.action_next_mark()

    def action_previous_mark(self) -> None:
        self._bring_up_passage()
        self.passage.body.action_previous_mark()

    def step_back(self) -> bool:
        """Back to the list, with the cursor on the item that was looked at last."""
        self.dismiss(self.index)
        return True
