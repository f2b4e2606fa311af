"""Label: answers, pairs of them, and items, by the form of the sample that was drawn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.labelling.answer_records import AnswerReading
from engine.labelling.queries import AnswersQuery
from engine.labelling.session import Route, SubjectState
from store.errors import RagdeskError
from store.labels import consensus
from store.labels.events import Subject
from store.labels.queue import Filter
from store.labels.samples import Sample
from tui.label.answer_view import AnswerView
from tui.label.inspect_screen import InspectScreen
from tui.label.judgement import JudgementScreen
from tui.label.keys import ACTIONS
from tui.label.pair_view import PairView
from tui.label.sample_picker import choose_sample, empty_words
from tui.label.value_bindings import VALUE_BINDINGS
from tui.screens.value_labels import value_text
from tui.shell.actions import bindings
from tui.shell.remembered import recall, remember
from tui.widgets.sheet import Block

READINGS_KEPT = 60


def desk_of(sample: Sample, *, is_new: bool = False) -> JudgementScreen:
    """The screen for a sample's form. `is_new`: begin at the head of its queue."""
    kind = ItemLabelScreen if sample.subject_kind == "revision" else LabelScreen
    return kind(sample, is_new=is_new)


class AtLabel(JudgementScreen):
    """What every desk at Label has: it keeps to one sample and can be changed for another's."""

    PLACE = "label"

    def __init__(self, sample: Sample, *, is_new: bool = False) -> None:
        home = Route(sample.name, Filter(sample=sample.name))
        super().__init__(sample.form_key, home)
        self.sample = sample
        self.is_new = is_new
        self.advances = recall().auto_advance.get(sample.form_key, self.advances)

    def empty_words(self) -> str:
        runs = list(self.sample.settings.get("runs", []))
        return (
            f"Nothing of {self.sample.name} waits for you: all is labelled, or with others."
            " S chooses another sample, [ goes back over what you have labelled,"
            " D shows what raters differ on.\n\n"
            f"{empty_words(runs)}"
        )

    def _open_first(self) -> None:
        if self.is_new and self.session is not None:
            self.is_new = False
            self.session.advance(())
            self.show_opened()
        else:
            super()._open_first()

    def step_back(self) -> bool:
        """Esc: as at every desk; the way in, below, is no place to be."""
        super().step_back()
        return True

    def action_sample(self) -> None:
        choose_sample(self.app, current=self.sample.name)

    def action_auto_advance(self) -> None:
        super().action_auto_advance()
        known = recall()
        known.auto_advance[self.form.key] = self.advances
        if not remember(known):
            self.flash(f"{self.panel.message}; for today only, it could not be kept")


class LabelScreen(AtLabel):
    """Answers, and pairs of answers."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("label", ACTIONS),
        Binding("tab,shift+tab", "other_pane", "other pane", show=False),
    ]

    def __init__(self, sample: Sample, *, is_new: bool = False) -> None:
        super().__init__(sample, is_new=is_new)
        self._readings: OrderedDict[str, tuple[AnswerReading, ...]] = OrderedDict()

    def on_mount(self) -> None:
        super().on_mount()
        self.host.calculator.prepare()

    # Signs beside the answer

    def show_opened(self) -> None:
        super().show_opened()
        opened = self.opened
        if opened is None:
            return
        reading = self._readings.get(opened.subject.base)
        if reading is not None:
            self._show_reading(reading)
        if not self.hidden(opened):
            self._tell_others(opened)

    async def _foresee(self) -> None:
        await super()._foresee()
        self._read_answers()

    def _read_answers(self) -> None:
        """Have the open answer read, and the next ones, in the process that has the dictionary."""
        opened = [self.opened.subject] if self.opened is not None else []
        wanted = [
            one for one in (*opened, *self.foreseen.subjects) if one.base not in self._readings
        ]
        if wanted:
            self.run_worker(
                lambda: self._read(wanted), group="reading", exclusive=True, thread=True
            )

    def _read(self, subjects: Sequence[Subject]) -> None:
        """In a thread. Without a reading the answer is shown as it is: it is a help, no more."""
        for one in subjects:
            try:
                found = self.host.calculator.ask(AnswersQuery(one.numbers))
            except RagdeskError:
                return
            if not self.is_attached:
                return
            self.app.call_from_thread(self._take_reading, one, found)

    def _take_reading(self, subject: Subject, found: tuple[AnswerReading, ...]) -> None:
        self._readings[subject.base] = found
        while len(self._readings) > READINGS_KEPT:
            self._readings.popitem(last=False)
        if self.opened is not None and self.opened.subject.base == subject.base:
            self._show_reading(found)

    def _show_reading(self, found: tuple[AnswerReading, ...]) -> None:
        if isinstance(self.view, AnswerView | PairView):
            self.view.read(found)

    # What is hidden until one has judged

    def _tell_others(self, opened: SubjectState) -> None:
        session = self.session
        if session is None or not isinstance(self.view, AnswerView | PairView):
            return
        subject = Subject(opened.subject.kind, opened.subject.base)
        found = session.read(lambda db: consensus.settled(db, self.form, subject=subject))
        said: dict[str, list[str]] = {}
        for one in found:
            field = self.form.field(one.field)
            name = field.zh if self.lang == "zh" else field.en
            for given in one.raters:
                text = f"{name} {value_text(field, given.value, self.lang)}"
                said.setdefault(given.rater, []).append(text)
        said.pop(self.host.rater, None)
        self.view.tell_others([Block(rater, "; ".join(texts)) for rater, texts in said.items()])

    # Correcting belongs to items

    def action_edit(self) -> None:
        self.flash("an answer is labelled as it is; items can be corrected")

    action_diff = action_history = action_edit


class ItemLabelScreen(AtLabel, InspectScreen, inherit_bindings=False):
    """Items, by any form but that of Inspect; what one does with a correction is as there."""

    BINDINGS: ClassVar[list[BindingType]] = [*VALUE_BINDINGS, *LabelScreen.BINDINGS]
