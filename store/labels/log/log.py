"""Writing the log of labels: appending events, and undoing them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, structs

from store.clock import now_text
from store.errors import InputError, UsageError
from store.hashing import canonical_json
from store.labels import forms
from store.labels.forms import Form, StoredForm
from store.labels.log import acts, authoring, decisions, drafts
from store.labels.log.checks import (
    check_acceptance,
    check_event,
    check_kind,
    check_noted,
    check_subject,
)
from store.labels.log.events import (
    IDLE_CUT_MS,
    UNDOABLE,
    EventKind,
    Label,
    LabelEvent,
    Origin,
    Place,
    Subject,
    SubjectStatus,
    status_of,
    values_of,
)
from store.labels.log.events import current as current_of
from store.labels.log.reading import (
    EFFECTIVE,
    Sampled,
    authored,
    circumstances,
    current,
    event_of,
    sampled,
    standing_events,
)
from store.messages import check_printable


class Written(Struct, frozen=True):
    """An event that was appended, and what its rater says of the subject from now on."""

    seq: int
    labels: list[Label]
    sampled: Sampled


class Undone(Written, frozen=True):
    """An undo or redo."""

    event: LabelEvent
    """What it took away or brought back; of a whole act the last of its events."""
    events: int = 1
    """How many events it was: those of an act go together."""


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
) -> Written:
    """Appends one event in the open transaction, with all that follows from it.

    `field` is empty where the event is about the whole subject. `value` is null to clear, or to
    take back a comment, flag, postponement or exclusion. `active_ms` is the time since the rater's
    last key; more than IDLE_CUT_MS counts as that. Call it inside `workspace.write(durable=True)`.

    Raises InputError for an illegal value, NotFound for a subject that does not exist, Conflict
    when the text that was shown is no longer the item's.
    """
    if not rater.strip():
        raise UsageError("A label needs its rater.", "Name the rater.", "--rater NAME")
    check_printable("rater", rater)
    check_kind(form.form, subject)
    about = circumstances(db, form.form.key, rater, subject)
    if not about.exists:
        check_subject(db, form.form, subject)
    checked = check_event(db, form.form, subject, field, value, kind)
    item_authored = None
    if authoring.is_authoring(form.form.key):
        item_authored = authored(db, subject)
        authoring.check(item_authored.place, form.form, rater, field, checked, kind)
    if origin == "human" and about.has_looked:
        origin = "human_after_reveal"
    elif origin == "human" and about.sampled.aids and kind != EventKind.ADJUDICATE:
        origin = "human_with_aids"
    moves = decisions.can_move(form.form, subject, kind, field)
    before = standing_events(db, form.form.key, subject, rater=None if moves else rater)
    prepare = decisions.prepare_undo if kind == EventKind.IMPORT else decisions.prepare
    item = prepare(db, form.form, subject, before) if moves else None
    own = _labels(before, form.form.key, rater, subject)
    if kind == EventKind.ACCEPT:
        check_acceptance(form.form, values_of(own), field, checked)
    if kind == EventKind.SET:
        check_noted(form.form, field, checked, own)
    event = LabelEvent(
        0,
        now_text(),
        rater,
        form.id,
        form.form.key,
        subject,
        field,
        checked,
        kind,
        None,
        origin,
        active_ms,
        about.guideline,
    )
    event = _insert(db, event)
    if kind in (EventKind.SET, EventKind.CLEAR):
        drafts.discard(db, rater, form.form.key, subject, field)
    after = [*before, event]
    if item is not None:
        decisions.follow(db, form.form, item, after)
    if item_authored is not None:
        authoring.follow(db, item_authored, authored(db, subject))
    return _written(db, form, event, after, about.sampled)


def undo(db: sqlite3.Connection, rater: str, form_key: str) -> Undone | None:
    """Takes back the rater's latest standing event with a form, however long ago, and with it the
    whole act that it belongs to; None when there is nothing left to undo. What was imported is no
    key press of theirs, and stays."""
    row = db.execute(
        _with_act(
            f"{EFFECTIVE} WHERE rater = ? AND form_key = ?"
            f" AND kind IN ({_UNDOABLE}) AND origin <> 'import' ORDER BY seq DESC LIMIT 1"
        ),
        (rater, form_key),
    ).fetchone()
    if row is None:
        return None
    *values, act = row
    if act is not None:
        return undo_act(db, act)
    event = event_of(tuple(values))
    return _reverse(db, EventKind.UNDO, event.seq, event)


def undo_act(db: sqlite3.Connection, act: int) -> Undone | None:
    """Takes back all events of an act that stand, the latest first; None where none does."""
    rows = db.execute(
        f"{EFFECTIVE} WHERE seq IN (SELECT seq FROM act_event WHERE act_id = ?) ORDER BY seq DESC",
        (act,),
    ).fetchall()
    return _reverse_act(db, act, EventKind.UNDO, [(row[0], event_of(row)) for row in rows])


def _redo_act(db: sqlite3.Connection, act: int) -> Undone | None:
    rows = db.execute(
        f"{_UNDONE} WHERE undo.seq IN (SELECT seq FROM act_event WHERE act_id = ?)"
        f" AND undo.kind = 'undo' AND {_NOT_REDONE} ORDER BY event.seq",
        (act,),
    ).fetchall()
    return _reverse_act(db, act, EventKind.REDO, [(row[0], event_of(row[1:])) for row in rows])


def _reverse_act(
    db: sqlite3.Connection, act: int, kind: EventKind, events: Sequence[tuple[int, LabelEvent]]
) -> Undone | None:
    reversed_events = [_reverse(db, kind, undoes, event) for undoes, event in events]
    acts.hold_events(db, act, (one.seq for one in reversed_events))
    if not reversed_events:
        return None
    return structs.replace(reversed_events[-1], events=len(reversed_events))


def redo(db: sqlite3.Connection, rater: str, form_key: str) -> Undone | None:
    """Brings back what the rater undid last, a whole act at once; None when nothing was undone, or
    when the rater has labelled something since."""
    row = db.execute(
        _with_act(
            f"{_UNDONE} WHERE undo.rater = ?1 AND form.key = ?2 AND undo.kind = 'undo'"
            f" AND undo.origin <> 'import' AND {_NOT_REDONE}"
            " AND undo.seq > coalesce((SELECT max(later.seq) FROM label_event AS later"
            "   JOIN form AS f ON f.id = later.form_id WHERE later.rater = ?1 AND f.key = ?2"
            f"  AND later.kind IN ({_UNDOABLE})), 0)"
            " ORDER BY undo.seq DESC LIMIT 1"
        ),
        (rater, form_key),
    ).fetchone()
    if row is None:
        return None
    undone, *values, act = row
    if act is not None:
        return _redo_act(db, act)
    return _reverse(db, EventKind.REDO, undone, event_of(tuple(values)))


def _with_act(sql: str) -> str:
    """The rows of `sql`, each with the act that the event of its first column belongs to."""
    act = "SELECT act_id FROM act_event WHERE act_event.seq = one.seq"
    return f"SELECT *, ({act}) FROM ({sql}) AS one"


_UNDONE = (
    "SELECT undo.seq, event.seq, event.at, event.rater, event.form_id, form.key,"
    " event.subject_kind, event.subject, event.field, event.value, event.kind, event.undoes,"
    " event.origin, event.active_ms, event.guideline"
    " FROM label_event AS undo JOIN label_event AS event ON event.seq = undo.undoes"
    " JOIN form ON form.id = undo.form_id"
)
_NOT_REDONE = (
    "NOT EXISTS (SELECT 1 FROM label_event AS redo WHERE redo.undoes = undo.seq"
    " AND redo.kind = 'redo')"
)
_UNDOABLE = ", ".join(f"'{kind}'" for kind in sorted(UNDOABLE))


def _reverse(db: sqlite3.Connection, kind: EventKind, undoes: int, event: LabelEvent) -> Undone:
    form = forms.by_id(db, event.form_id)
    subject, key, rater = event.subject, event.form_key, event.rater
    about = circumstances(db, key, rater, subject)
    moves = decisions.can_move(form.form, subject, event.kind, event.field)
    before = standing_events(db, key, subject, rater=None if moves else rater)
    item = decisions.prepare_undo(db, form.form, subject, before) if moves else None
    item_authored = authored(db, subject) if authoring.is_authoring(key) else None
    reversal = structs.replace(
        event,
        at=now_text(),
        value=None,
        kind=kind,
        undoes=undoes,
        origin="human",
        active_ms=None,
        guideline=about.guideline,
    )
    reversal = _insert(db, reversal)
    after = [one for one in before if one.seq != event.seq]
    if kind == EventKind.REDO:
        after.append(event)
    if item is not None:
        decisions.follow(db, form.form, item, after)
    if item_authored is not None:
        authoring.follow(db, item_authored, authored(db, subject))
    written = _written(db, form, reversal, after, about.sampled)
    return Undone(written.seq, written.labels, written.sampled, event)


def refresh(db: sqlite3.Connection, form_key: str, rater: str, subject: Subject) -> None:
    """Derives anew how far a rater is with a subject."""
    labels = current(db, form_key, rater, subject)
    skipped = sampled(db, form_key, subject).not_applicable
    status = status_of(labels, lambda number: forms.by_id(db, number).form, skipped)
    _put_status(db, (form_key, subject, rater), status)


def _written(
    db: sqlite3.Connection,
    form: StoredForm,
    event: LabelEvent,
    standing: Sequence[LabelEvent],
    sampled: Sampled,
) -> Written:
    """What the events that stand after `event` amount to for its rater, whose status they are."""
    labels = _labels(standing, event.form_key, event.rater, event.subject)

    def form_of(number: int) -> Form:
        return form.form if number == form.id else forms.by_id(db, number).form

    place = (event.form_key, event.subject, event.rater)
    _put_status(db, place, status_of(labels, form_of, sampled.not_applicable))
    return Written(event.seq, labels, sampled)


def _labels(
    standing: Sequence[LabelEvent], form_key: str, rater: str, subject: Subject
) -> list[Label]:
    return current_of(standing).get((form_key, subject, rater), [])


def _put_status(db: sqlite3.Connection, place: Place, status: SubjectStatus | None) -> None:
    form_key, subject, rater = place
    key = (form_key, subject.kind, subject.id, rater)
    if status is None:
        db.execute(
            "DELETE FROM label_status WHERE form_key = ? AND subject_kind = ? AND subject = ?"
            " AND rater = ?",
            key,
        )
        return
    db.execute(
        "INSERT INTO label_status (form_key, subject_kind, subject, rater, status, seq, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET status = excluded.status, seq = excluded.seq, at = excluded.at",
        (*key, status.status, status.seq, status.at),
    )


def _insert(db: sqlite3.Connection, event: LabelEvent) -> LabelEvent:
    """Stores the event, whose number is not known yet; returns it as it is stored."""
    if event.active_ms is not None and event.active_ms < 0:
        raise InputError(f"{event.active_ms} ms is no length of time.")
    active_ms = None if event.active_ms is None else min(event.active_ms, IDLE_CUT_MS)
    seq = db.execute(
        "INSERT INTO label_event (at, rater, form_id, subject_kind, subject, field, value, kind,"
        " undoes, origin, active_ms, guideline, checksum, account) VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
        " ?7, ?8, ?9, ?10, ?11, ?12, row_sum(?2, ?5, ?6, ?7, ?8), nullif(acting_account(), ?2))",
        (
            event.at,
            event.rater,
            event.form_id,
            event.subject.kind,
            event.subject.id,
            event.field,
            None if event.value is None else canonical_json(event.value).decode(),
            event.kind,
            event.undoes,
            event.origin,
            active_ms,
            event.guideline,
        ),
    ).lastrowid
    assert seq is not None
    return structs.replace(event, seq=seq, active_ms=active_ms)
