"""Labels: appending events, undoing them, and reading what raters say now."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.errors import InputError, NotFound, UsageError
from store.hashing import canonical_json
from store.labels import decisions, drafts, forms, guidelines
from store.labels.checks import check_acceptance, check_event, check_subject
from store.labels.events import (
    IDLE_CUT_MS,
    UNDOABLE,
    EventKind,
    Label,
    LabelEvent,
    Origin,
    Subject,
    progress,
    values_of,
)
from store.labels.forms import Form, StoredForm, Value


class Undone(Struct, frozen=True):
    """An undo or redo: its own number, and the event that it took away or brought back."""

    seq: int
    event: LabelEvent


def append(
    db: sqlite3.Connection,
    form: StoredForm,
    rater: str,
    subject: Subject,
    field: str,
    value: Any,
    *,
    kind: EventKind = EventKind.SET,
    origin: Origin = "human",
    active_ms: int | None = None,
) -> int:
    """Appends one event in the open transaction, with all that follows from it; returns its number.

    `field` is empty where the event is about the whole subject. `value` is null to clear, or to
    take back a comment, flag, postponement or exclusion. `active_ms` is the time since the rater's
    last key; more than IDLE_CUT_MS counts as that. Call it inside `workspace.write(durable=True)`.

    Raises InputError for an illegal value, NotFound for a subject that does not exist, Conflict
    when the text that was shown is no longer the item's.
    """
    if not rater.strip():
        raise UsageError("A label needs its rater.", "Give --rater NAME.")
    check_subject(db, form.form, subject)
    checked = check_event(db, form.form, subject, field, value, kind)
    if origin == "human" and _has_looked(db, form.form, rater, subject):
        origin = "human_after_reveal"
    decides = _decides(form.form, subject, kind, field)
    expected = decisions.prepare(db, form.form, subject) if decides else None
    if kind == EventKind.ACCEPT:
        own = values(db, form.form.key, rater, subject)
        check_acceptance(form.form, own, field, checked)
    event = (form.id, rater, subject, field, checked, kind, origin, active_ms)
    seq = _insert(db, *event, guideline=guidelines.current_version(db, form.form.key))
    if kind in (EventKind.SET, EventKind.CLEAR):
        drafts.discard(db, rater, form.form.key, subject, field)
    if decides:
        decisions.follow(db, form.form, subject, expected)
    refresh(db, form.form.key, rater, subject)
    return seq


def undo(db: sqlite3.Connection, rater: str, form_key: str) -> Undone | None:
    """Takes back the rater's latest standing event with a form, however long ago; None when there
    is nothing left to undo. What was imported is no key press of theirs, and stays."""
    row = db.execute(
        "SELECT seq FROM label_effective WHERE rater = ? AND form_key = ?"
        f" AND kind IN ({_UNDOABLE}) AND origin <> 'import' ORDER BY seq DESC LIMIT 1",
        (rater, form_key),
    ).fetchone()
    if row is None:
        return None
    return _reverse(db, EventKind.UNDO, row[0], event_by_seq(db, row[0]))


def redo(db: sqlite3.Connection, rater: str, form_key: str) -> Undone | None:
    """Brings back what the rater undid last; None when nothing was undone, or when the rater has
    labelled something since."""
    row = db.execute(
        "SELECT undo.seq, undo.undoes FROM label_event AS undo JOIN form ON form.id = form_id"
        " WHERE rater = ?1 AND key = ?2 AND kind = 'undo' AND undo.origin <> 'import'"
        " AND NOT EXISTS (SELECT 1 FROM label_event AS redo WHERE redo.undoes = undo.seq"
        "   AND redo.kind = 'redo')"
        " AND undo.seq > coalesce((SELECT max(later.seq) FROM label_event AS later"
        "   JOIN form AS f ON f.id = later.form_id WHERE later.rater = ?1 AND f.key = ?2"
        f"  AND later.kind IN ({_UNDOABLE})), 0)"
        " ORDER BY undo.seq DESC LIMIT 1",
        (rater, form_key),
    ).fetchone()
    if row is None:
        return None
    return _reverse(db, EventKind.REDO, row[0], event_by_seq(db, row[1]))


_UNDOABLE = ", ".join(f"'{kind}'" for kind in sorted(UNDOABLE))


def _reverse(db: sqlite3.Connection, kind: EventKind, undoes: int, event: LabelEvent) -> Undone:
    form = forms.by_id(db)[event.form_id].form
    decides = _decides(form, event.subject, event.kind, event.field)
    expected = decisions.prepare_undo(db, form, event.subject) if decides else None
    seq = _insert(
        db,
        event.form_id,
        event.rater,
        event.subject,
        event.field,
        None,
        kind,
        "human",
        None,
        undoes=undoes,
        guideline=guidelines.current_version(db, event.form_key),
    )
    if decides:
        decisions.follow(db, form, event.subject, expected)
    refresh(db, event.form_key, event.rater, event.subject)
    return Undone(seq, event)


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


_EVENT = (
    "SELECT seq, at, rater, form_id, form.key, subject_kind, subject, field, value, kind, undoes,"
    " origin, active_ms, guideline FROM label_event JOIN form ON form.id = form_id"
)


def event_by_seq(db: sqlite3.Connection, seq: int) -> LabelEvent:
    row = db.execute(_EVENT + " WHERE seq = ?", (seq,)).fetchone()
    if row is None:
        raise NotFound(f"There is no label event {seq}.")
    return _event(row)


def events(
    db: sqlite3.Connection, form_key: str | None = None, *, rater: str | None = None
) -> Iterator[LabelEvent]:
    """The log, oldest first; of one form, of one rater."""
    rows = db.execute(
        _EVENT + " WHERE (?1 IS NULL OR form.key = ?1) AND (?2 IS NULL OR rater = ?2) ORDER BY seq",
        (form_key, rater),
    )
    return (_event(row) for row in rows)


def subject_events(
    db: sqlite3.Connection, form_key: str, subject: Subject, *, rater: str | None = None
) -> list[LabelEvent]:
    """The history of one subject, oldest first; pass `rater` where raters are blind."""
    rows = db.execute(
        _EVENT + " WHERE subject_kind = ?1 AND subject = ?2 AND form.key = ?3"
        " AND (?4 IS NULL OR rater = ?4) ORDER BY seq",
        (subject.kind, subject.id, form_key, rater),
    )
    return [_event(row) for row in rows]


def last_seq(db: sqlite3.Connection, rater: str | None = None) -> int:
    """The number of the last committed event, of one rater or of all; 0 before the first."""
    (seq,) = db.execute(
        "SELECT coalesce(max(seq), 0) FROM label_event WHERE ?1 IS NULL OR rater = ?1", (rater,)
    ).fetchone()
    return int(seq)


def refresh(db: sqlite3.Connection, form_key: str, rater: str, subject: Subject) -> None:
    """Derives anew how far a rater is with a subject."""
    place = (form_key, subject.kind, subject.id, rater)
    labels = current(db, form_key, rater, subject)
    known = {label.form_id for label in labels}
    found = progress(
        labels,
        {number: form.form for number, form in forms.by_id(db).items() if number in known},
        not_applicable(db, form_key, subject),
    )
    if found is None:
        db.execute(
            "DELETE FROM label_status WHERE form_key = ? AND subject_kind = ? AND subject = ?"
            " AND rater = ?",
            place,
        )
        return
    db.execute(
        "INSERT INTO label_status (form_key, subject_kind, subject, rater, status, seq, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET status = excluded.status, seq = excluded.seq, at = excluded.at",
        (*place, found.status, found.seq, found.at),
    )


def not_applicable(db: sqlite3.Connection, form_key: str, subject: Subject) -> frozenset[str]:
    """Fields that do not apply to a subject, as its sample found; none for an unsampled one."""
    row = db.execute(
        "SELECT not_applicable FROM assignment JOIN sample ON sample.id = sample_id"
        " WHERE subject IN (?, ?) AND form_key = ? AND subject_kind = ? ORDER BY sample_id LIMIT 1",
        (subject.id, subject.base, form_key, subject.kind),
    ).fetchone()
    return frozenset(msgspec.json.decode(row[0], type=list[str]) if row is not None else ())


def _decides(form: Form, subject: Subject, kind: EventKind, field: str) -> bool:
    """Whether an event can move an item."""
    decision = form.decision
    return (
        decision is not None
        and not subject.is_repeat
        and kind in (EventKind.SET, EventKind.CLEAR, EventKind.ACCEPT, EventKind.ADJUDICATE)
        and field in (decision.field, decision.correction)
    )


def _has_looked(db: sqlite3.Connection, form: Form, rater: str, subject: Subject) -> bool:
    found = db.execute(
        "SELECT 1 FROM label_event JOIN form ON form.id = form_id WHERE subject_kind = ?"
        " AND subject = ? AND rater = ? AND form.key = ? AND kind = 'reveal' LIMIT 1",
        (subject.kind, subject.id, rater, form.key),
    )
    return found.fetchone() is not None


def _insert(
    db: sqlite3.Connection,
    form_id: int,
    rater: str,
    subject: Subject,
    field: str,
    value: Value | None,
    kind: EventKind,
    origin: Origin,
    active_ms: int | None,
    *,
    guideline: str,
    undoes: int | None = None,
) -> int:
    if active_ms is not None and active_ms < 0:
        raise InputError(f"{active_ms} ms is no length of time.")
    seq = db.execute(
        "INSERT INTO label_event (at, rater, form_id, subject_kind, subject, field, value, kind,"
        " undoes, origin, active_ms, guideline) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            now_text(),
            rater,
            form_id,
            subject.kind,
            subject.id,
            field,
            None if value is None else canonical_json(value).decode(),
            kind,
            undoes,
            origin,
            None if active_ms is None else min(active_ms, IDLE_CUT_MS),
            guideline,
        ),
    ).lastrowid
    assert seq is not None
    return seq


def _value(text: str | None) -> Any:
    value = None if text is None else msgspec.json.decode(text)
    return tuple(value) if isinstance(value, list) else value


def _event(row: tuple[Any, ...]) -> LabelEvent:
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
