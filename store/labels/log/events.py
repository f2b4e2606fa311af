"""Label events, and what follows from a log of them: pure, so that `verify` can replay any log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Literal

from msgspec import Struct

from store.errors import InputError
from store.labels.forms import Form, SubjectKind, Value, is_complete

KNOWN = "#k"
"""The end of a subject whose answer is known; see `store.labels.samples.known`."""
IDLE_CUT_MS = 120_000
"""The most that one event counts of a rater's time: who pauses longer was away."""

Origin = Literal["human", "human_with_aids", "human_after_reveal", "accepted_suggestion", "import"]
"""How a value came about: with aids, the rater could see how the answer compares with the golden
one; after a reveal, the rater had looked at what the form hides."""
Status = Literal["partial", "postponed", "complete", "excluded"]


class EventKind(StrEnum):
    SET = "set"
    CLEAR = "clear"
    UNDO = "undo"
    REDO = "redo"
    COMMENT = "comment"
    FLAG = "flag"
    POSTPONE = "postpone"
    EXCLUDE = "exclude"
    ADJUDICATE = "adjudicate"
    ACCEPT = "accept"
    """A proposed revision becomes the item's text."""
    IMPORT = "import"
    REVEAL = "reveal"
    """The rater looked at what the form hides; a fact, so it cannot be undone."""


UNDOABLE = frozenset(EventKind) - {
    EventKind.UNDO,
    EventKind.REDO,
    EventKind.IMPORT,
    EventKind.REVEAL,
}
"""An import is no key press of its rater: it is taken back by clearing, not by undoing."""

_VALUES = frozenset({EventKind.SET, EventKind.CLEAR, EventKind.IMPORT})


def aspect_of(kind: EventKind) -> str:
    """The aspect of an event that is neither undo nor redo."""
    return "value" if kind in _VALUES else str(kind)


class Subject(Struct, frozen=True, order=True):
    """What is labelled: a revision or prediction by number, a pair as `A:B`.

    A hidden repeat, labelled anew by the same rater, ends in `#1`, a question whose answer is known
    in `#k`: what is said of either is no label of the subject itself.
    """

    kind: SubjectKind
    id: str

    @property
    def base(self) -> str:
        return self.id.partition("#")[0]

    @property
    def is_repeat(self) -> bool:
        """Whether it is a subject given once more, a known question included."""
        return "#" in self.id

    @property
    def is_known(self) -> bool:
        """Whether the answer is known, so that it measures the rater."""
        return self.id.endswith(KNOWN)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The revision or prediction, or both predictions of a pair; InputError if misspelt."""
        parts = self.base.split(":")
        if len(parts) != (2 if self.kind == "pair" else 1) or not all(
            part.isascii() and part.isdigit() and len(part) <= 18 for part in parts
        ):
            wanted = "two numbers as A:B" if self.kind == "pair" else "a number"
            raise InputError(f"{self.id!r} names no {self.kind}.", f"Give {wanted}.")
        return tuple(int(part) for part in parts)


class LabelEvent(Struct, frozen=True):
    seq: int
    at: str
    rater: str
    form_id: int
    form_key: str
    subject: Subject
    field: str
    """Empty where the event is about the whole subject."""
    value: Value | None
    kind: EventKind
    undoes: int | None
    origin: Origin
    active_ms: int | None
    guideline: str
    """Version of the form's guideline that was in force; empty without one."""


class Label(Struct, frozen=True):
    """What a rater says now of one field and aspect of a subject."""

    field: str
    aspect: str
    value: Value
    seq: int
    at: str
    form_id: int
    kind: EventKind
    origin: Origin


Place = tuple[str, Subject, str]
"""Form key, subject, rater."""


def effective(events: Iterable[LabelEvent]) -> list[LabelEvent]:
    """The events that count, in their order: undone ones, undos and redos left out."""
    standing: dict[int, LabelEvent] = {}
    undos: dict[int, LabelEvent] = {}
    taken: dict[int, LabelEvent] = {}
    for event in events:
        if event.kind == EventKind.UNDO and event.undoes in standing:
            undos[event.seq] = event
            taken[event.undoes] = standing.pop(event.undoes)
        elif event.kind == EventKind.REDO and event.undoes in undos:
            back = undos.pop(event.undoes).undoes
            assert back is not None
            standing[back] = taken.pop(back)
        elif event.kind not in (EventKind.UNDO, EventKind.REDO):
            standing[event.seq] = event
    return [standing[seq] for seq in sorted(standing)]


def current(events: Iterable[LabelEvent]) -> dict[Place, list[Label]]:
    """What each rater says now, replayed from the whole log; ordered by field and aspect."""
    latest: dict[Place, dict[tuple[str, str], LabelEvent]] = {}
    for event in effective(events):
        place = (event.form_key, event.subject, event.rater)
        latest.setdefault(place, {})[event.field, aspect_of(event.kind)] = event
    out = {}
    for place, by_key in latest.items():
        labels = [
            Label(field, aspect, e.value, e.seq, e.at, e.form_id, e.kind, e.origin)
            for (field, aspect), e in sorted(by_key.items())
            if e.value is not None
        ]
        if labels:
            out[place] = labels
    return out


class SubjectStatus(Struct, frozen=True):
    """How far a rater is with a subject, since which event."""

    status: Status
    seq: int
    at: str


def values_of(labels: Iterable[Label]) -> dict[str, Value]:
    return {label.field: label.value for label in labels if label.aspect == "value"}


def status_of(
    labels: Iterable[Label], form_of: Callable[[int], Form], not_applicable: frozenset[str]
) -> SubjectStatus | None:
    """What a rater's current labels of one subject amount to; none when it is untouched.

    By the form's version that the latest label was given with: `form_of` gives the version of a
    number. Excluding goes before completing,
    completing before postponing. A complete subject counts from its last required value.
    """
    counted = [one for one in labels if one.aspect not in ("reveal", "adjudicate", "accept")]
    if not counted:
        return None
    last = max(counted, key=lambda label: label.seq)
    form = form_of(last.form_id)
    values = values_of(counted)
    required = {requirement.field for requirement in form.complete}
    steps: dict[Status, list[Label]] = {
        "excluded": [one for one in counted if one.aspect == "exclude"],
        "complete": [one for one in counted if one.aspect == "value" and one.field in required]
        if is_complete(form, values, not_applicable)
        else [],
        "postponed": [one for one in counted if one.aspect == "postpone"],
        "partial": [last],
    }
    for status, grounds in steps.items():
        if grounds:
            at = max(grounds, key=lambda label: label.seq)
            return SubjectStatus(status, at.seq, at.at)
    raise AssertionError("a touched subject has a status")
