"""A rater at work with a form: what a labelling screen, or a command, does to the store."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from engine.labelling.forms import load_form, warnings_for
from store.datasets import datasets
from store.errors import UsageError
from store.labels import consensus, decisions, drafts, forms, guidelines, log, progress, queue
from store.labels.events import EventKind, Label, LabelEvent, Origin, Subject
from store.labels.forms import Form, SoftWarning, Value
from store.labels.guidelines import Guideline
from store.labels.log import Undone
from store.labels.progress import CellLabels
from store.labels.queue import Filter, Listing, Queued
from store.records import ItemContent
from store.workspace import Workspace


class Answered(Struct, frozen=True):
    """What one committed value amounts to."""

    seq: int
    """Number of the event: it is on the disk."""
    is_complete: bool
    """Whether the subject is done, so that a screen may advance."""
    warnings: tuple[SoftWarning, ...]


class Labelling:
    """One rater with one form. Every method that writes has written to the disk when it returns.

    Nothing that it reads shows another rater's labels.
    """

    def __init__(self, workspace: Workspace, form_key: str, rater: str) -> None:
        self._workspace = workspace
        self.rater = rater
        with workspace.write() as db:
            self._stored = forms.register(db, load_form(form_key))

    @property
    def form(self) -> Form:
        return self._stored.form

    # the queue

    def next(self, filter: Filter | None = None) -> Queued | None:
        """The next subject, leased to this rater; None at the end of the queue."""
        with self._workspace.write() as db:
            return queue.next_subject(db, self.form.key, self.rater, filter=filter)

    def upcoming(self, limit: int, filter: Filter | None = None) -> list[Queued]:
        """The next subjects without leasing them, to prepare for."""
        return queue.upcoming(
            self._workspace.db, self.form.key, self.rater, limit=limit, filter=filter
        )

    def take(self, subject: Subject) -> bool:
        """Leases a foreseen subject to this rater; False when it is no longer theirs to label."""
        with self._workspace.write() as db:
            return queue.take(db, self.form.key, self.rater, subject)

    def renew(self, subject: Subject) -> None:
        """Keeps the lease of the subject that the rater has before them."""
        with self._workspace.write() as db:
            queue.lease(db, self.form.key, subject, self.rater)

    def listed(
        self, listing: Listing, *, topic: str | None = None, task: str | None = None
    ) -> list[Subject]:
        """What this rater may go through again, latest first."""
        return queue.listed(
            self._workspace.db, self.form, self.rater, listing, topic=topic, task=task
        )

    def left_at(self) -> Subject | None:
        """What this rater had before them when they left; None when that is no longer theirs."""
        found = queue.last_leased(self._workspace.db, self.form.key, self.rater)
        return found if found is not None and self.take(found) else None

    def touched(self, limit: int) -> list[Subject]:
        """The way back: what this rater has labelled, latest first."""
        found = queue.touched(self._workspace.db, self.form.key, self.rater, limit=limit)
        return [subject for subject, _ in found]

    def last_saved(self) -> int:
        """The number of this rater's last event; 0 before the first."""
        return log.last_seq(self._workspace.db, self.rater)

    def progress(self, sample: str | None = None) -> list[CellLabels]:
        return progress.cell_progress(self._workspace.db, self.form.key, self.rater, sample=sample)

    def done_since(self, since: str) -> int:
        """Subjects done since a time (UTC text), such as the start of the rater's day."""
        return progress.done_since(self._workspace.db, self.form.key, self.rater, since)

    def median_seconds(self) -> float | None:
        """This rater's active time a subject; None before any was measured."""
        return progress.median_seconds(self._workspace.db, self.form.key, self.rater)

    # what was said

    def values(self, subject: Subject) -> dict[str, Value]:
        return log.values(self._workspace.db, self.form.key, self.rater, subject)

    def labels(self, subject: Subject) -> list[Label]:
        """Values, comments, flags and the rest, each with its event."""
        return log.current(self._workspace.db, self.form.key, self.rater, subject)

    def history(self, subject: Subject) -> list[LabelEvent]:
        return log.subject_events(self._workspace.db, self.form.key, subject, rater=self.rater)

    def not_applicable(self, subject: Subject) -> frozenset[str]:
        return log.not_applicable(self._workspace.db, self.form.key, subject)

    def warnings(self, subject: Subject) -> tuple[SoftWarning, ...]:
        return warnings_for(self.form, self.values(subject))

    def guideline(self) -> Guideline | None:
        return guidelines.current(self._workspace.db, self.form.key)

    # saying something

    def set(
        self,
        subject: Subject,
        field: str,
        value: Any,
        *,
        active_ms: int | None = None,
        origin: Origin = "human",
    ) -> Answered:
        """Gives a field its value. InputError for an illegal one; nothing is written then."""
        seq = self._say(subject, field, value, EventKind.SET, active_ms, origin)
        return self._answered(seq, subject)

    def clear(self, subject: Subject, field: str) -> Answered:
        return self._answered(self._say(subject, field, None, EventKind.CLEAR), subject)

    def comment(self, subject: Subject, text: str, field: str = "") -> int:
        """A note on a field or on the whole; a blank text takes it back."""
        return self._say(subject, field, text if text.strip() else None, EventKind.COMMENT)

    def flag(self, subject: Subject, *, on: bool = True) -> int:
        return self._say(subject, "", True if on else None, EventKind.FLAG)

    def postpone(self, subject: Subject, *, on: bool = True) -> int:
        """Moves a subject to the end of this rater's queue."""
        return self._say(subject, "", True if on else None, EventKind.POSTPONE)

    def exclude(self, subject: Subject, reason: str | None) -> int:
        """Says that a subject cannot be labelled, and why; null takes it back."""
        return self._say(subject, "", reason, EventKind.EXCLUDE)

    def reveal(self, subject: Subject, what: str) -> int:
        """Logs that the rater looks at something hidden. Values from then on say so."""
        return self._say(subject, "", what, EventKind.REVEAL)

    def undo(self) -> Undone | None:
        """Takes back this rater's latest standing event; None when there is none."""
        with self._workspace.write(durable=True) as db:
            return log.undo(db, self.rater, self.form.key)

    def redo(self) -> Undone | None:
        with self._workspace.write(durable=True) as db:
            return log.redo(db, self.rater, self.form.key)

    # correcting

    def propose(
        self,
        subject: Subject,
        content: ItemContent,
        reason: str,
        *,
        active_ms: int | None = None,
    ) -> int:
        """Writes a correction of the revision shown and makes it this rater's; returns its number.

        Refused with Conflict when the item has another text by now.
        """
        field = self._correction_field()
        with self._workspace.write(durable=True) as db:
            shown = decisions.judged(db, subject)
            revision = datasets.revise(
                db, shown.item, shown.revision, content, author=self.rater, reason=reason
            )
            log.append(db, self._stored, self.rater, subject, field, revision, active_ms=active_ms)
        return revision

    def accept(self, subject: Subject, revision: int, *, active_ms: int | None = None) -> int:
        """Makes this rater's correction the item's text, where one rater decides."""
        return self._say(subject, self._correction_field(), revision, EventKind.ACCEPT, active_ms)

    def decides_alone(self, subject: Subject) -> bool:
        """Whether this rater's own correction may become the item's text: one rater is wanted."""
        return decisions.quorum(self._workspace.db, self.form, subject) == 1

    def adjudicate(
        self, subject: Subject, field: str, value: Any, *, allow_own: bool = False
    ) -> int:
        """Rules on what raters differ on; see `store.labels.consensus.adjudicate`."""
        with self._workspace.write(durable=True) as db:
            return consensus.adjudicate(
                db, self._stored, self.rater, subject, field, value, allow_own=allow_own
            )

    # half-typed text

    def save_draft(self, subject: Subject, field: str, text: str) -> None:
        with self._workspace.write(durable=True) as db:
            drafts.save(db, self.rater, self.form.key, subject, field, text)

    def drafts(self, subject: Subject) -> dict[str, str]:
        return drafts.of(self._workspace.db, self.rater, self.form.key, subject)

    def latest_draft(self) -> Subject | None:
        """The subject that this rater was typing something for when they left."""
        return drafts.latest(self._workspace.db, self.rater, self.form.key)

    def discard_draft(self, subject: Subject, field: str) -> None:
        with self._workspace.write(durable=True) as db:
            drafts.discard(db, self.rater, self.form.key, subject, field)

    def _correction_field(self) -> str:
        if self.form.decision is None or not self.form.decision.correction:
            raise UsageError(f"Form {self.form.key!r} has no corrections.")
        return self.form.decision.correction

    def _say(
        self,
        subject: Subject,
        field: str,
        value: Any,
        kind: EventKind,
        active_ms: int | None = None,
        origin: Origin = "human",
    ) -> int:
        with self._workspace.write(durable=True) as db:
            return log.append(
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

    def _answered(self, seq: int, subject: Subject) -> Answered:
        values = self.values(subject)
        complete = forms.is_complete(self.form, values, self.not_applicable(subject))
        return Answered(seq, complete, warnings_for(self.form, values))
