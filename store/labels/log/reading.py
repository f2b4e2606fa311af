"""Reading the log of labels: its events, and what raters say now."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from store.labels.forms import Value
from store.labels.log import authoring
from store.labels.log.authoring import Authored
from store.labels.log.events import EventKind, Label, LabelEvent, Subject, values_of


class Sampled(NamedTuple):
    """What the samples of a form say of a subject."""

    not_applicable: frozenset[str] = frozenset()
    """Fields that do not apply to it."""
    aids: bool = False
    """Whether raters may see the comparison with the golden answer before they label it."""


class Circumstances(NamedTuple):
    """What an event's subject is to its rater."""

    exists: bool
    has_looked: bool
    """Whether the rater has had shown what the form hides."""
    guideline: str
    """The version in force; empty without one."""
    sampled: Sampled


_EVENT = (
    "SELECT seq, at, rater, form_id, form.key, subject_kind, subject, field, value, kind, undoes,"
    " origin, active_ms, guideline FROM label_event JOIN form ON form.id = form_id"
)
EFFECTIVE = (
    "SELECT seq, at, rater, form_id, form_key, subject_kind, subject, field, value, kind, NULL,"
    " origin, active_ms, guideline FROM label_effective"
)
"""The events that count: undone ones, undos and redos left out."""
_IN_SAMPLES = (
    "FROM assignment JOIN sample ON sample.id = sample_id"
    " WHERE subject IN (?, ?) AND form_key = ? AND subject_kind = ?"
)
_SAMPLED = (
    f"(SELECT not_applicable {_IN_SAMPLES} ORDER BY sample_id LIMIT 1),"
    f" (SELECT max(aids) {_IN_SAMPLES})"
)


def events(
    db: sqlite3.Connection, form_key: str | None = None, *, rater: str | None = None
) -> Iterator[LabelEvent]:
    """The log, oldest first; of one form, of one rater."""
    rows = db.execute(
        _EVENT + " WHERE (?1 IS NULL OR form.key = ?1) AND (?2 IS NULL OR rater = ?2) ORDER BY seq",
        (form_key, rater),
    )
    return (event_of(row) for row in rows)


def subject_events(
    db: sqlite3.Connection, form_key: str, subject: Subject, *, rater: str | None = None
) -> list[LabelEvent]:
    """The history of one subject, oldest first; pass `rater` where raters are blind."""
    rows = db.execute(
        _EVENT + " WHERE subject_kind = ?1 AND subject = ?2 AND form.key = ?3"
        " AND (?4 IS NULL OR rater = ?4) ORDER BY seq",
        (subject.kind, subject.id, form_key, rater),
    )
    return [event_of(row) for row in rows]


def standing_events(
    db: sqlite3.Connection, form_key: str, subject: Subject, *, rater: str | None = None
) -> list[LabelEvent]:
    """The events of a subject that count, oldest first: undone ones, undos and redos left out; of
    one rater or of all."""
    rows = db.execute(
        f"{EFFECTIVE} WHERE subject_kind = ?1"
        " AND subject = ?2 AND form_key = ?3 AND (?4 IS NULL OR rater = ?4) ORDER BY seq",
        (subject.kind, subject.id, form_key, rater),
    )
    return [event_of(row) for row in rows]


def authored(db: sqlite3.Connection, subject: Subject) -> Authored:
    """The authored item of a subject, as its steps stand. Raises InputError for an item that is not
    authored."""
    events = [one for step in authoring.STEPS for one in standing_events(db, step, subject)]
    return authoring.authored(db, subject, sorted(events, key=lambda event: event.seq))


def accounts(db: sqlite3.Connection) -> dict[int, str]:
    """The accounts that gave labels in the name of another rater, by the number of the event."""
    rows = db.execute("SELECT seq, account FROM label_event WHERE account IS NOT NULL")
    return dict(rows.fetchall())


def last_seq(db: sqlite3.Connection, rater: str | None = None) -> int:
    """The number of the last committed event, of one rater or of all; 0 before the first."""
    (seq,) = db.execute(
        "SELECT coalesce(max(seq), 0) FROM label_event WHERE ?1 IS NULL OR rater = ?1", (rater,)
    ).fetchone()
    return int(seq)


def current(db: sqlite3.Connection, form_key: str, rater: str, subject: Subject) -> list[Label]:
    """All that one rater says now of a subject, by field and aspect. No other rater's labels can
    be read by it."""
    rows = db.execute(
        "SELECT field, aspect, value, seq, at, form_id, kind, origin FROM label_current"
        " WHERE form_key = ? AND subject_kind = ? AND subject = ? AND rater = ?"
        " ORDER BY field, aspect",
        (form_key, subject.kind, subject.id, rater),
    )
    return [
        Label(field, aspect, _value(text), seq, at, form_id, EventKind(kind), origin)
        for field, aspect, text, seq, at, form_id, kind, origin in rows
    ]


def values(db: sqlite3.Connection, form_key: str, rater: str, subject: Subject) -> dict[str, Value]:
    """One rater's values of a subject, by field; fields without a value are absent."""
    return values_of(current(db, form_key, rater, subject))


def comments(db: sqlite3.Connection, form_key: str, subject: Subject) -> dict[tuple[str, str], str]:
    """All comments on a subject by rater and field, for adjudicators and exports."""
    rows = db.execute(
        "SELECT rater, field, value FROM label_current WHERE form_key = ? AND subject_kind = ?"
        " AND subject = ? AND aspect = 'comment' ORDER BY rater, field",
        (form_key, subject.kind, subject.id),
    )
    return {(rater, field): msgspec.json.decode(value, type=str) for rater, field, value in rows}


def sampled(db: sqlite3.Connection, form_key: str, subject: Subject) -> Sampled:
    """What samples say of a subject: its fields by the oldest, its aids by any. An unsampled one
    has every field and no aids."""
    row = db.execute(f"SELECT {_SAMPLED}", _sampled_by(form_key, subject)).fetchone()
    return _sampled(*row)


def circumstances(
    db: sqlite3.Connection, form_key: str, rater: str, subject: Subject
) -> Circumstances:
    """What is to be known of a subject before its rater writes of it, in one statement."""
    numbers = sorted(set(subject.numbers))
    table = "revision" if subject.kind == "revision" else "prediction"
    marks = ", ".join("?" * len(numbers))
    count, has_looked, guideline, fields, aids = db.execute(
        f"SELECT (SELECT count(*) FROM {table} WHERE id IN ({marks})),"
        " EXISTS (SELECT 1 FROM label_event JOIN form ON form.id = form_id WHERE subject_kind = ?"
        "  AND subject = ? AND rater = ? AND form.key = ? AND kind = 'reveal'),"
        " (SELECT max(version) FROM guideline WHERE form_key = ?),"
        f" {_SAMPLED}",
        (
            *numbers,
            *(subject.kind, subject.id, rater, form_key),
            form_key,
            *_sampled_by(form_key, subject),
        ),
    ).fetchone()
    return Circumstances(
        count == len(numbers),
        bool(has_looked),
        "" if guideline is None else str(guideline),
        _sampled(fields, aids),
    )


def _sampled_by(form_key: str, subject: Subject) -> tuple[str, ...]:
    return (subject.id, subject.base, form_key, subject.kind) * 2


def _sampled(fields: str | None, aids: int | None) -> Sampled:
    known = () if fields is None else msgspec.json.decode(fields, type=list[str])
    return Sampled(frozenset(known), bool(aids))


def event_of(row: tuple[Any, ...]) -> LabelEvent:
    """The event of a row, whose columns are those of `EFFECTIVE`."""
    seq, at, rater, form_id, key, subject_kind, subject, field, value, kind, *rest = row
    return LabelEvent(
        seq,
        at,
        rater,
        form_id,
        key,
        Subject(subject_kind, subject),
        field,
        _value(value),
        EventKind(kind),
        *rest,
    )


def _value(text: str | None) -> Any:
    value = None if text is None else msgspec.json.decode(text)
    return tuple(value) if isinstance(value, list) else value
