"""A rater at work with a form: what a screen or a command does to the store, and where one is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from engine.labelling.forms import find_form
from engine.labelling.items.revising import composed
from engine.labelling.subject_state import KNOWN_ANSWER, SubjectState, state_of
from store.datasets import datasets, revisions
from store.errors import UsageError
from store.labels import consensus, forms, guidelines, news
from store.labels.forms import Form, Value
from store.labels.guidelines import Guideline
from store.labels.log import authoring, decisions, drafts, log, reading
from store.labels.log.events import EventKind, Label, LabelEvent, Origin, Subject
from store.labels.log.log import Undone, Written
from store.labels.log.reading import Sampled
from store.labels.samples import known, progress, queue
from store.labels.samples.progress import CellLabels
from store.labels.samples.queue import Filter, Listing, Queued
from store.records import ItemContent
from store.sharing.team import Role
from store.workspace import Workspace, open_workspace

T = TypeVar("T")

PATIENCE_MS = 250
"""How long a label waits for another process' write before the rater is told."""
WAY_BACK = 500
"""Subjects labelled earlier that one may go back to, key by key."""


class Route(NamedTuple):
    """Which subjects come: the queue, narrowed by a filter, or one of the rater's own listings."""

    title: str = ""
    """For the top line; empty for the whole queue."""
    filter: Filter = Filter()
    listing: Listing | None = None


WHOLE_QUEUE = Route()


class LabelSession:
    """One rater with one form. Every method that writes has written to the disk when it returns,
    and gives what stands then. Nothing that it reads shows another rater's labels.

    A screen goes from subject to subject: `opened` is the one before the rater, which every write
    to it keeps true. A command names its subjects itself.
    """

    def __init__(
        self, workspace: Workspace, form_key: str, rater: str, route: Route = WHOLE_QUEUE
    ) -> None:
        self._workspace = workspace
        self.rater = rater
        form = find_form(workspace.db, form_key)
        stored = forms.registered(workspace.db, form)
        if stored is None:
            with workspace.write(role=Role.RATER) as db:
                stored = forms.register(db, form)
        self._stored = stored
        self.saved = reading.last_seq(workspace.db, rater)
        """The number of this rater's last event; 0 before the first."""
        self.route = route
        self.opened: SubjectState | None = None
        self._trail: list[Subject] = []
        self._at = -1

    @classmethod
    def open(
        cls, folder: Path, form_key: str, rater: str, route: Route = WHOLE_QUEUE
    ) -> LabelSession:
        """A session over a connection of its own; close it when the rater leaves."""
        workspace = open_workspace(folder, busy_ms=PATIENCE_MS)
        try:
            return cls(workspace, form_key, rater, route)
        except BaseException:
            workspace.close()
            raise

    def close(self) -> None:
        self._workspace.close()

    @property
    def form(self) -> Form:
        return self._stored.form

    @property
    def authoring_step(self) -> str:
        """The step of authoring that the form is; empty for any other form."""
        return self.form.key if authoring.is_authoring(self.form.key) else ""

    @property
    def subject(self) -> Subject | None:
        """The one that is open."""
        return self.opened.subject if self.opened is not None else None

    def read(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """The answer to a question about the workspace, over this connection."""
        return question(self._workspace.db)

    # The queue

    def next(self, filter: Filter | None = None) -> Queued | None:
        """The next subject, leased to this rater; None at the end of the queue."""
        with self._workspace.write(role=Role.RATER) as db:
            return queue.next_subject(db, self.form.key, self.rater, filter=filter)

    def upcoming(self, limit: int, filter: Filter | None = None) -> list[Queued]:
        """The next subjects without leasing them, to prepare for."""
        return queue.upcoming(
            self._workspace.db, self.form.key, self.rater, limit=limit, filter=filter
        )

    def take(self, subject: Subject) -> bool:
        """Leases a foreseen subject to this rater; False when it is no longer theirs to label."""
        with self._workspace.write(role=Role.RATER) as db:
            return queue.take(db, self.form.key, self.rater, subject)

    def renew(self) -> None:
        """Keeps the lease on what is open and not done."""
        if self.opened is not None and not self.opened.is_done:
            with self._workspace.write(role=Role.RATER) as db:
                queue.lease(db, self.form.key, self.opened.subject, self.rater)

    def listed(
        self, listing: Listing, *, topic: str | None = None, task: str | None = None
    ) -> list[Subject]:
        """What this rater may go through again, latest first."""
        return queue.listed(
            self._workspace.db, self.form, self.rater, listing, topic=topic, task=task
        )

    def progress(self, sample: str | None = None) -> list[CellLabels]:
        return progress.cell_progress(self._workspace.db, self.form.key, self.rater, sample=sample)

    # Where one is

    def begin(self) -> bool:
        """Opens what the rater was at: what is half typed, else the queue's next. False at the end
        of the queue."""
        db, form_key = self._workspace.db, self.form.key
        touched = queue.touched(db, form_key, self.rater, limit=WAY_BACK)
        self._trail = [subject for subject, _ in reversed(touched)]
        left_at = self.latest_draft()
        if left_at is not None:
            self.take(left_at)
        else:
            left_at = queue.last_leased(db, form_key, self.rater)
            if left_at is None or not self.take(left_at):
                return self.advance(())
        self.show(left_at)
        return True

    def follow(self, route: Route) -> bool:
        """Goes through other subjects; False when there are none, and the route stays as it was."""
        if route.listing is not None:
            chosen = route.filter
            subjects = self.listed(route.listing, topic=chosen.topic, task=chosen.task)
            if not subjects:
                return False
            self.route, self._trail = route, subjects
            self.show(subjects[0])
            return True
        before, self.route = self.route, route
        if self.advance(()):
            return True
        self.route = before
        return False

    def show(self, subject: Subject) -> None:
        """Opens this one, wherever it stands in the queue."""
        self._open(self.state(subject))

    def advance(self, foreseen: Iterable[Subject]) -> bool:
        """Opens the next unfinished subject, leased; False, and nothing is open, at the end.

        `foreseen` are the queue's next ones as they were read ahead: the first that is still free
        is taken, which needs no look at the whole queue.
        """
        if self.route.listing is not None:
            return self.step(1)
        for subject in foreseen:
            if subject != self.subject and self.take(subject):
                self.show(subject)
                return True
        queued = self.next(self.route.filter)
        if queued is None:
            self.opened = None
            return False
        self.show(queued.subject)
        return True

    def step(self, by: int) -> bool:
        """Along the way that one has come, without a status; past its end to what the queue has
        further. False when there is nothing that way."""
        at = self._at + by
        if self.opened is None and by < 0:
            at = len(self._trail) - 1
        if 0 <= at < len(self._trail):
            self.show(self._trail[at])
            return True
        return by > 0 and self.route.listing is None and self._skip()

    def refresh(self) -> None:
        """Reads again what stands of the open subject."""
        if self.opened is not None:
            self.opened = self.state(self.opened.subject)

    def _skip(self) -> bool:
        seen = set(self._trail)
        for queued in self.upcoming(len(seen) + 2, self.route.filter):
            if queued.subject not in seen and self.take(queued.subject):
                self.show(queued.subject)
                return True
        return False

    def _open(self, state: SubjectState) -> None:
        with suppress(ValueError):
            self._at = self._trail.index(state.subject)
            self.opened = state
            return
        self._trail.append(state.subject)
        self._at = len(self._trail) - 1
        self.opened = state

    # Labels

    def state(self, subject: Subject) -> SubjectState:
        """A subject with all labels of the rater."""
        sampled = reading.sampled(self._workspace.db, self.form.key, subject)
        return self._state(subject, self.labels(subject), sampled)

    def values(self, subject: Subject) -> dict[str, Value]:
        return reading.values(self._workspace.db, self.form.key, self.rater, subject)

    def labels(self, subject: Subject) -> list[Label]:
        """Values, comments, flags and the rest, each with its event."""
        return reading.current(self._workspace.db, self.form.key, self.rater, subject)

    def history(self, subject: Subject) -> list[LabelEvent]:
        return reading.subject_events(self._workspace.db, self.form.key, subject, rater=self.rater)

    def guideline(self) -> Guideline | None:
        """The guideline in force, which the rater has seen from now on."""
        found = guidelines.current(self._workspace.db, self.form.key)
        if found is not None:
            with self._workspace.write(role=Role.RATER) as db:
                news.mark_seen(db, self.form.key, found.version, self.rater)
        return found

    def _state(self, subject: Subject, labels: Sequence[Label], sampled: Sampled) -> SubjectState:
        return state_of(self._workspace.db, self.form, subject, labels, sampled)

    # Writing labels

    def set(
        self,
        subject: Subject,
        field: str,
        value: Any,
        *,
        active_ms: int | None = None,
        origin: Origin = "human",
    ) -> SubjectState:
        """Gives a field its value. InputError for an illegal one; nothing is written then."""
        return self._append(subject, field, value, EventKind.SET, active_ms, origin)

    def clear(self, subject: Subject, field: str) -> SubjectState:
        return self._append(subject, field, None, EventKind.CLEAR)

    def comment(self, subject: Subject, text: str, field: str = "") -> SubjectState:
        """A note on a field or on the whole; a blank text takes it back."""
        return self._append(subject, field, text if text.strip() else None, EventKind.COMMENT)

    def flag(self, subject: Subject, *, on: bool = True) -> SubjectState:
        return self._append(subject, "", True if on else None, EventKind.FLAG)

    def postpone(self, subject: Subject, *, on: bool = True) -> SubjectState:
        """Moves a subject to the end of this rater's queue."""
        return self._append(subject, "", True if on else None, EventKind.POSTPONE)

    def exclude(self, subject: Subject, reason: str | None) -> SubjectState:
        """Says that a subject cannot be labelled, and why; null takes it back."""
        return self._append(subject, "", reason, EventKind.EXCLUDE)

    def reveal(self, subject: Subject, what: str) -> SubjectState:
        """Logs that the rater looks at something hidden. Values from then on say so."""
        return self._append(subject, "", what, EventKind.REVEAL)

    def undo(self) -> Undone | None:
        """Takes back this rater's last event, and opens its subject; None when
        there is nothing to take back."""
        return self._reverse(log.undo)

    def redo(self) -> Undone | None:
        """Brings back what was undone last, and opens its subject."""
        return self._reverse(log.redo)

    def _reverse(
        self, reverse: Callable[[sqlite3.Connection, str, str], Undone | None]
    ) -> Undone | None:
        with self._workspace.write(durable=True, role=Role.RATER) as db:
            undone = reverse(db, self.rater, self.form.key)
        if undone is not None:
            self.saved = undone.seq
            subject = undone.event.subject
            self._open(self._state(subject, undone.labels, undone.sampled))
        return undone

    def _append(
        self,
        subject: Subject,
        field: str,
        value: Any,
        kind: EventKind,
        active_ms: int | None = None,
        origin: Origin = "human",
    ) -> SubjectState:
        with self._workspace.write(durable=True, role=Role.RATER) as db:
            written = log.append(
                db,
                self._stored,
                self.rater,
                subject,
                field,
                value,
                kind=kind,
                origin=origin,
                active_ms=active_ms,
            )
            written = self._tell(db, subject, written)
        return self._keep(subject, written)

    def _tell(self, db: sqlite3.Connection, subject: Subject, written: Written) -> Written:
        """Logs that the rater is told the answer of a training question with its last value."""
        one = known.of_subject(db, self.form.key, subject)
        if one is None or one.purpose != "training":
            return written
        state = self._state(subject, written.labels, written.sampled)
        if not state.is_complete or state.is_revealed:
            return written
        return log.append(
            db, self._stored, self.rater, subject, "", KNOWN_ANSWER, kind=EventKind.REVEAL
        )

    def _keep(self, subject: Subject, written: Written) -> SubjectState:
        """What stands after a write, on the disk and before the rater."""
        self.saved = written.seq
        state = self._state(subject, written.labels, written.sampled)
        if subject == self.subject:
            self.opened = state
        return state

    # Correcting, and ruling on what raters differ on

    def text_of(self, subject: Subject) -> int:
        """The revision that a rater reads and corrects: the subject's own, of an item that is being
        authored its text now."""
        if not self.authoring_step:
            return subject.numbers[0]
        return reading.authored(self._workspace.db, subject).standing.head

    def propose(
        self,
        subject: Subject,
        content: ItemContent,
        reason: str,
        *,
        shown: int | None = None,
        active_ms: int | None = None,
    ) -> int:
        """Writes a correction of the revision shown (by default of `text_of`), or the text of a
        step of authoring, and makes it this rater's; returns its number.

        Refused with Conflict when the item has another text by now, or the step is not the rater's;
        with InputError for a text of a step that has not the shape of its task.
        """
        field = self._correction_field()
        before = self.text_of(subject) if shown is None else shown
        with self._workspace.write(durable=True, role=Role.RATER) as db:
            if self.authoring_step:
                # before what is wrong with a text that is not to be written
                now = reading.authored(db, subject).place
                authoring.check(now, self.form, self.rater, field, None, EventKind.SET)
            sheet = revisions.sheet(db, before)
            content = composed(db, sheet, content, self.authoring_step)
            revision = datasets.revise(
                db, sheet.item, before, content, author=self.rater, reason=reason
            )
            written = log.append(
                db, self._stored, self.rater, subject, field, revision, active_ms=active_ms
            )
        self._keep(subject, written)
        return revision

    def accept(
        self, subject: Subject, revision: int, *, active_ms: int | None = None
    ) -> SubjectState:
        """Makes this rater's correction the item's text, where one rater decides."""
        field = self._correction_field()
        return self._append(subject, field, revision, EventKind.ACCEPT, active_ms)

    def settle_correction(self, subject: Subject, revision: int) -> bool:
        """After this rater has proposed a correction: scores the subject as one that needs it,
        where that is not done, and makes it the item's text where one rater decides; else it waits
        for the others, and False."""
        decision = self.form.decision
        assert decision is not None, "only a form that decides has corrections"
        if decision.verdict(self.values(subject).get(decision.field)) != "correct":
            self.set(subject, decision.field, decision.correct[0], active_ms=0)
        if not self._decides_alone(subject):
            return False
        self.accept(subject, revision)
        return True

    def _decides_alone(self, subject: Subject) -> bool:
        db = self._workspace.db
        events = reading.standing_events(db, self.form.key, subject)
        return decisions.raters_deciding(db, self.form, subject, events) == 1

    def adjudicate(
        self,
        subject: Subject,
        field: str,
        value: Any,
        *,
        reason: str = "",
        allow_own: bool = False,
    ) -> int:
        """Rules on what raters differ on; returns the event's number. See
        `store.labels.consensus.adjudicate`."""
        with self._workspace.write(durable=True, role=Role.ADJUDICATOR) as db:
            self.saved = consensus.adjudicate(
                db,
                self._stored,
                self.rater,
                subject,
                field,
                value,
                reason=reason,
                allow_own=allow_own,
            )
        return self.saved

    def _correction_field(self) -> str:
        if not self.form.proposal:
            raise UsageError(f"Form {self.form.key!r} has no corrections.")
        return self.form.proposal

    # Half-typed text

    def save_draft(self, subject: Subject, field: str, text: str) -> None:
        with self._workspace.write(durable=True, role=Role.RATER) as db:
            drafts.save(db, self.rater, self.form.key, subject, field, text)

    def drafts(self, subject: Subject) -> dict[str, str]:
        return drafts.of(self._workspace.db, self.rater, self.form.key, subject)

    def latest_draft(self) -> Subject | None:
        """The subject that this rater was typing something for when they left."""
        return drafts.latest(self._workspace.db, self.rater, self.form.key)

    def discard_draft(self, subject: Subject, field: str) -> None:
        with self._workspace.write(durable=True, role=Role.RATER) as db:
            drafts.discard(db, self.rater, self.form.key, subject, field)
