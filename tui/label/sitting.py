"""A rater with one form before them: the open subject, the way back, and where the queue goes on.

Nothing of Textual in here: what a screen does is asked of a `Sitting`, which has written to the
disk when it returns, or raises what the screen is to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from engine.labelling.forms import warnings_for
from engine.labelling.session import Answered, Labelling
from store.labels.events import Subject, values_of
from store.labels.forms import Form, SoftWarning, Value, is_complete
from store.labels.log import Undone
from store.labels.queue import Filter, Listing
from store.workspace import open_workspace

T = TypeVar("T")

PATIENCE_MS = 250
"""How long a label waits for another process' write before the rater is told."""
WAY_BACK = 500
"""Subjects of earlier sittings that one may go back to, key by key."""


class Route(NamedTuple):
    """Which subjects come: the queue, narrowed by a filter, or one of the rater's own listings."""

    title: str = ""
    """For the top line; empty for the whole queue."""
    filter: Filter = Filter()
    listing: Listing | None = None


WHOLE_QUEUE = Route()


class Opened(NamedTuple):
    """The subject before the rater, and all that the rater has said of it."""

    subject: Subject
    values: dict[str, Value]
    not_applicable: frozenset[str]
    is_complete: bool
    warnings: tuple[SoftWarning, ...]
    comment: str = ""
    notes: Mapping[str, str] = MappingProxyType({})
    """Comments on single fields."""
    is_flagged: bool = False
    is_postponed: bool = False
    excluded: str = ""
    """The reason; empty when it is not excluded."""
    is_revealed: bool = False
    """Whether the rater has looked at what the form hides."""

    @property
    def is_done(self) -> bool:
        return self.is_complete or bool(self.excluded)


class Sitting:
    """Opens the workspace by a connection of its own; close it when the rater leaves."""

    def __init__(self, folder: Path, form_key: str, rater: str, route: Route = WHOLE_QUEUE) -> None:
        self._workspace = open_workspace(folder, busy_ms=PATIENCE_MS)
        try:
            self.labelling = Labelling(self._workspace, form_key, rater)
            self.saved = self.labelling.last_saved()
        except BaseException:
            self._workspace.close()
            raise
        self.route = route
        self.opened: Opened | None = None
        self._trail: list[Subject] = []
        self._at = -1

    @property
    def form(self) -> Form:
        return self.labelling.form

    @property
    def subject(self) -> Subject | None:
        return self.opened.subject if self.opened is not None else None

    def read(self, question: Callable[[Any], T]) -> T:
        """The answer to a question about the workspace, over this connection."""
        return question(self._workspace.db)

    def close(self) -> None:
        self._workspace.close()

    # Where one is

    def begin(self) -> bool:
        """Open what the rater was at: what is half typed, else the queue's next. False at the end
        of the queue."""
        self._trail = list(reversed(self.labelling.touched(WAY_BACK)))
        drafted = self.labelling.latest_draft()
        if drafted is not None:
            self.labelling.take(drafted)
        left_at = drafted or self.labelling.left_at()
        if left_at is None:
            return self.advance(())
        self.show(left_at)
        return True

    def follow(self, route: Route) -> bool:
        """Go through other subjects; False when there are none, and the route stays as it was."""
        if route.listing is not None:
            chosen = route.filter
            found = self.labelling.listed(route.listing, topic=chosen.topic, task=chosen.task)
            if not found:
                return False
            self.route, self._trail = route, found
            self.show(found[0])
            return True
        before, self.route = self.route, route
        if self.route.listing is None and self.advance(()):
            return True
        self.route = before
        return False

    def show(self, subject: Subject) -> None:
        """Open this one, wherever it stands in the queue."""
        if subject in self._trail:
            self._at = self._trail.index(subject)
        else:
            self._trail.append(subject)
            self._at = len(self._trail) - 1
        self.opened = self._read(subject)

    def advance(self, foreseen: Iterable[Subject]) -> bool:
        """Open the next unfinished subject, leased; False, and nothing is open, at the end.

        `foreseen` are the queue's next ones as they were read ahead: the first that is still free
        is taken, which needs no look at the whole queue.
        """
        if self.route.listing is not None:
            return self.step(1)
        for subject in foreseen:
            if subject != self.subject and self.labelling.take(subject):
                self.show(subject)
                return True
        queued = self.labelling.next(self.route.filter)
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

    def _skip(self) -> bool:
        seen = set(self._trail)
        for queued in self.labelling.upcoming(len(seen) + 2, self.route.filter):
            if queued.subject not in seen and self.labelling.take(queued.subject):
                self.show(queued.subject)
                return True
        return False

    def refresh(self) -> None:
        """Read again what stands of the open subject."""
        if self.opened is not None:
            self.opened = self._read(self.opened.subject)

    def _read(self, subject: Subject) -> Opened:
        labels = self.labelling.labels(subject)
        values = values_of(labels)
        said = {label.aspect: label.value for label in labels if not label.field}
        skipped = self.labelling.not_applicable(subject)
        return Opened(
            subject,
            values,
            skipped,
            is_complete(self.form, values, skipped),
            warnings_for(self.form, values),
            comment=str(said.get("comment", "")),
            notes={
                label.field: str(label.value)
                for label in labels
                if label.field and label.aspect == "comment"
            },
            is_flagged="flag" in said,
            is_postponed="postpone" in said,
            excluded=str(said.get("exclude", "")),
            is_revealed="reveal" in said,
        )

    # What is said

    def say(self, field: str, value: Any, active_ms: int) -> Answered:
        """Give a field its value."""
        answered = self.labelling.set(self._open(), field, value, active_ms=active_ms)
        self._note(answered.seq)
        return answered

    def clear(self, field: str) -> Answered:
        answered = self.labelling.clear(self._open(), field)
        self._note(answered.seq)
        return answered

    def comment(self, text: str, field: str = "") -> None:
        """A note on the whole subject, or on what one field says of it."""
        self._note(self.labelling.comment(self._open(), text, field))

    def flag(self) -> None:
        """Flag the subject, or take the flag away."""
        assert self.opened is not None
        self._note(self.labelling.flag(self._open(), on=not self.opened.is_flagged))

    def postpone(self) -> None:
        self._note(self.labelling.postpone(self._open()))

    def exclude(self, reason: str) -> None:
        """With a reason of the form; the reason that stands takes the exclusion back."""
        assert self.opened is not None
        taken_back = self.opened.excluded == reason
        self._note(self.labelling.exclude(self._open(), None if taken_back else reason))

    def reveal(self, what: str) -> None:
        self._note(self.labelling.reveal(self._open(), what))

    def correct(self, revision: int) -> bool:
        """After this rater has proposed a correction: score it as one, where that is not done, and
        make it the item's text where one rater decides; else it waits for the others, and False."""
        subject = self._open()
        self.saved = self.labelling.last_saved()
        self.refresh()
        decision = self.form.decision
        assert decision is not None, "only a form that decides has corrections"
        if self.opened is None or decision.verdict(self.opened.values.get(decision.field)) != (
            "correct"
        ):
            self.say(decision.field, decision.correct[0], 0)
        if not self.labelling.decides_alone(subject):
            return False
        self._note(self.labelling.accept(subject, revision))
        return True

    def undo(self) -> Undone | None:
        """Take back the last thing that was said, and open what it was said of."""
        return self._reopen(self.labelling.undo())

    def redo(self) -> Undone | None:
        return self._reopen(self.labelling.redo())

    def renew(self) -> None:
        """Keep the lease on what is open and not done."""
        if self.opened is not None and not self.opened.is_done:
            self.labelling.renew(self.opened.subject)

    def _reopen(self, undone: Undone | None) -> Undone | None:
        if undone is not None:
            self.saved = undone.seq
            self.show(undone.event.subject)
        return undone

    def _note(self, seq: int) -> None:
        self.saved = seq
        self.refresh()

    def _open(self) -> Subject:
        assert self.opened is not None, "nothing is open"
        return self.opened.subject
