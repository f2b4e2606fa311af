"""What an event must be before it is appended: a subject that exists, a value that is legal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from store.errors import Conflict, InputError, NotFound
from store.labels.forms import Form, Value, check_value, reason_known, same
from store.labels.log import authoring, decisions
from store.labels.log.events import EventKind, Label, Subject


def check_kind(form: Form, subject: Subject) -> None:
    """Raises InputError for a subject that the form is not about."""
    if subject.kind != form.subject_kind:
        raise InputError(f"Form {form.key!r} is about a {form.subject_kind}, not a {subject.kind}.")


def check_subject(db: sqlite3.Connection, form: Form, subject: Subject) -> None:
    """Raises InputError for a subject that the form is not about, NotFound for one that does not
    exist."""
    check_kind(form, subject)
    table = "revision" if subject.kind == "revision" else "prediction"
    for number in subject.numbers:
        if db.execute(f"SELECT 1 FROM {table} WHERE id = ?", (number,)).fetchone() is None:
            raise NotFound(f"There is no {table} with number {number}.")


def check_event(
    db: sqlite3.Connection, form: Form, subject: Subject, field: str, value: Any, kind: EventKind
) -> Value | None:
    """The value as it is stored; InputError when the form does not allow it for such an event."""
    if kind in (EventKind.UNDO, EventKind.REDO):
        raise InputError(f"An event of kind {kind} is made by undo() or redo().")
    if kind in _WHOLE and field:
        raise InputError(f"To {kind} is about the whole subject, not about {field!r}.")
    if field or kind not in _NOTES:
        form.field(field)
    if kind == EventKind.CLEAR:
        if value is not None:
            raise InputError("Clearing takes no value.")
        return None
    if kind in _NOTES:
        return _note(form, kind, value)
    checked = check_value(form, field, value)
    if form.field(field).kind == "revision" and isinstance(checked, int):
        if authoring.is_authoring(form.key):
            authoring.check_text(db, subject, checked)
        else:
            decisions.check_proposal(db, subject, checked)
    return checked


def check_noted(form: Form, field: str, value: Any, own: Iterable[Label]) -> None:
    """Raises InputError for a value that needs a note where its rater, of whom the labels are, has
    given none."""
    is_noted = any((label.field, label.aspect) == (field, "comment") for label in own)
    if field and not is_noted and any(same(value, one) for one in form.field(field).noted):
        raise InputError(
            f"{form.key}.{field} is {value!r} only with a note of the reason.",
            f"Comment on field {field!r} first.",
        )


_WHOLE = (EventKind.POSTPONE, EventKind.EXCLUDE, EventKind.REVEAL)
_NOTES = (EventKind.COMMENT, EventKind.FLAG, *_WHOLE)


def _note(form: Form, kind: EventKind, value: Any) -> Value | None:
    """What is said beside the values; null takes it back, though not that one has looked."""
    if value is None and kind != EventKind.REVEAL:
        return None
    if kind in (EventKind.FLAG, EventKind.POSTPONE):
        legal = value is True
    elif kind == EventKind.EXCLUDE:
        legal = reason_known(form, value)
    else:
        legal = type(value) is str and bool(value.strip())
    if not legal:
        raise InputError(f"{value!r} is no value of {kind}.", _wanted(form, kind))
    noted: Value = value
    return noted


def _wanted(form: Form, kind: EventKind) -> str:
    if kind == EventKind.EXCLUDE:
        return f"Reasons: {', '.join(str(choice.value) for choice in form.exclude_reasons)}."
    return "Give a text." if kind in (EventKind.COMMENT, EventKind.REVEAL) else "Give true or null."


def check_acceptance(form: Form, own: Mapping[str, Value], field: str, value: Any) -> None:
    """Raters accept their own corrections: `own` are the rater's values."""
    decision = form.decision
    if decision is None or field != decision.correction:
        raise InputError(f"{form.key}.{field} holds no text to accept.")
    if own.get(field) != value:
        raise Conflict(
            f"Revision {value} is not your correction of it.",
            "Somebody else's is accepted by adjudicating.",
        )
