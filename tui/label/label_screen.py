"""Label: answers, pairs of them, and items, by the form of the sample that was drawn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

from engine.calibration.calibration_records import LabelGoal
from engine.calibration.queries import GoalQuery
from engine.labelling.queries import AnswersQuery
from engine.labelling.reading.answer_records import AnswerReading
from engine.labelling.session import Route
from engine.labelling.subject_state import SubjectState
from engine.report.calibration import goal_text
from store.errors import RagdeskError
from store.labels import consensus
from store.labels.log.authoring import is_authoring
from store.labels.log.events import Subject
from store.labels.samples.queue import Filter
from store.labels.samples.samples import Sample
from tui.label.desk import LabelDesk
from tui.label.keys import ACTIONS
from tui.label.queue.samples import (
    ask_sample,
    drawing_text,
    full_text,
    others_text,
    round_text,
    start_at,
)
from tui.label.subjects.answer_view import AnswerView
from tui.label.subjects.pair_view import PairView
from tui.language import local_name, tr
from tui.screens.destinations import AtSample, Destination
from tui.screens.labels import value_text
from tui.shell.remembered import recall, remember
from tui.widgets.sheet import Block

READINGS_KEPT = 60

Reading = tuple[AnswerReading, ...]
"""Of each answer of a subject."""


class AnswerReadings:
    """The latest comparisons of answers with golden ones, by subject; a hidden repeat has that of
    its first."""

    def __init__(self, show: Callable[[Reading], None]) -> None:
        """`show` is called with the reading of the subject that is open."""
        self._show = show
        self._kept: OrderedDict[str, Reading] = OrderedDict()
        self._open = ""

    def opened(self, subject: Subject | None) -> None:
        """Another subject is open: shows its reading, if it has one already; none for None."""
        self._open = subject.base if subject is not None else ""
        if self._open in self._kept:
            self._show(self._kept[self._open])

    def lacking(self, subjects: Sequence[Subject]) -> list[Subject]:
        """Those that have no reading yet."""
        return [subject for subject in subjects if subject.base not in self._kept]

    def keep(self, subject: Subject, reading: Reading) -> None:
        self._kept[subject.base] = reading
        while len(self._kept) > READINGS_KEPT:
            self._kept.popitem(last=False)
        if subject.base == self._open:
            self._show(reading)


class LabelScreen(LabelDesk, actions=ACTIONS):
    """Keeps to one sample, and gives way to the screen of another."""

    PLACE = "label"

    def __init__(self, sample: Sample, *, is_new: bool = False) -> None:
        """`is_new`: begin at the head of its queue."""
        super().__init__(sample.form_key, Route(sample.name, Filter(sample=sample.name)))
        self.sample = sample
        self.is_new = is_new
        self.advances = recall().auto_advance.get(sample.form_key, self.advances)
        self.readings = AnswerReadings(self._show_reading)
        self._goal_at = -1
        """The number of subjects done that the goal was asked with."""

    def on_mount(self) -> None:
        if self.has_answers:
            self.host.calculator.prepare()

    @property
    def has_answers(self) -> bool:
        """Whether the form is about answers; items are read as they are."""
        return self.form.subject_kind != "revision"

    def empty_text(self) -> str:
        if is_authoring(self.form.key):
            return tr(
                "Nothing of {name} waits for you. {round_text} What others hand on shows "
                "here by itself. S chooses another step, [ goes back over what you have "
                "done.\n\n{others_text}",
                name=self.sample.name,
                round_text=round_text(self.host, self.sample),
                others_text=others_text(self.host),
            )
        runs = list(self.sample.settings.get("runs", []))
        goal = f"{self.goal}.\n\n" if self.goal else ""
        reason = full_text(self.host, self.form.key, self.sample.name)
        return tr(
            "{goal}Nothing of {name} waits for you{part} S chooses another sample, [ "
            "goes back over what you have labelled, D shows conflicts between "
            "raters.\n\n{others_text}{drawing_text}",
            goal=goal,
            name=self.sample.name,
            part=f". {reason}" if reason else tr(": all is labelled, or with others."),
            others_text=others_text(self.host),
            drawing_text=drawing_text(runs),
        )

    def open_first(self) -> None:
        if self.is_new and self.session is not None:
            self.is_new = False
            self.session.advance(())
            self.show_opened()
        else:
            super().open_first()

    def step_back(self) -> bool:
        """Esc: as at every desk; the picker, below, is no place to be."""
        super().step_back()
        return True

    def action_sample(self) -> None:
        ask_sample(
            self.host,
            lambda sample: self.change_sample(sample, is_new=True),
            current=self.sample.name,
        )

    def arrive(self, destination: Destination) -> bool:
        if isinstance(destination, AtSample) and destination.name != self.sample.name:
            start = start_at(self.host, destination.name)
            if start is not None:
                sample, is_new = start
                self.change_sample(sample, is_new=is_new)
        return True

    def change_sample(self, sample: Sample, *, is_new: bool) -> None:
        """Gives way to the screen of another sample."""
        # after a question that asked for it has gone
        self.app.call_later(lambda: self.app.switch_screen(LabelScreen(sample, is_new=is_new)))

    def action_auto_advance(self) -> None:
        super().action_auto_advance()
        known = recall()
        known.auto_advance[self.form.key] = self.advances
        if not remember(known):
            self.flash(
                tr("{message}; for today only, it could not be kept", message=self.panel.message)
            )

    # The comparison with the golden answer, once the rater may see it

    def show_opened(self) -> None:
        super().show_opened()
        opened = self.opened
        if opened is not None and self.has_answers:
            self.readings.opened(opened.subject if opened.may_compare else None)
            if not self.hidden(opened):
                self._tell_others(opened)

    def looked_ahead(self) -> None:
        """Has the open answer read where it may be compared, and with aids the next ones; and how
        far the labels are from their goal computed, if that has changed."""
        self._ask_goal()
        opened = self.opened
        if not self.has_answers or opened is None or not opened.may_compare:
            return
        ahead = self.prefetcher.foreseen.subjects if opened.has_aids else ()
        wanted = self.readings.lacking([opened.subject, *ahead])
        if wanted:
            self.run_worker(
                lambda: self._read(wanted), group="reading", exclusive=True, thread=True
            )

    def _ask_goal(self) -> None:
        done = self.prefetcher.figures.done
        if "choose" in self.sample.settings and done != self._goal_at:
            self._goal_at = done
            self.run_worker(self._compute_goal, group="goal", exclusive=True, thread=True)

    def _compute_goal(self) -> None:
        """In a thread. Without it one labels on: it is a help, no more."""
        try:
            goal = self.host.calculator.ask(GoalQuery(self.sample.name))
        except RagdeskError:
            return
        if self.is_attached and goal is not None:
            self.app.call_from_thread(self._show_goal, goal)

    def _show_goal(self, goal: LabelGoal) -> None:
        self.goal = goal_text(goal)
        if self.opened is None:
            self.show_nothing(self.empty_text(), tr("Nothing waits here"))
        else:
            self.show_progress()

    def _read(self, subjects: Sequence[Subject]) -> None:
        """In a thread. Without a reading the answer is shown as it is: it is a help, no more."""
        for subject in subjects:
            try:
                reading = self.host.calculator.ask(AnswersQuery(subject.numbers))
            except RagdeskError:
                return
            if not self.is_attached:
                return
            self.app.call_from_thread(self.readings.keep, subject, reading)

    def _show_reading(self, reading: Reading) -> None:
        if isinstance(self.view, AnswerView | PairView):
            self.view.read(reading)

    # What is hidden until one has labelled

    def _tell_others(self, opened: SubjectState) -> None:
        session = self.session
        if session is None or not isinstance(self.view, AnswerView | PairView):
            return
        subject = Subject(opened.subject.kind, opened.subject.base)
        settled = session.read(lambda db: consensus.settled(db, self.form, subject=subject))
        values: dict[str, list[str]] = {}
        for one in settled:
            field = self.form.field(one.field)
            for given in one.raters:
                text = f"{local_name(field)} {value_text(field, given.value)}"
                values.setdefault(given.rater, []).append(text)
        values.pop(self.host.rater, None)
        self.view.tell_others([Block(rater, "; ".join(texts)) for rater, texts in values.items()])
