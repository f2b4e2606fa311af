"""Forms as data: what a person is asked about a subject, and the versions that the store keeps."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.errors import Conflict, InputError, NotFound
from store.hashing import canonical_json, content_hash
from store.messages import check_printable, choices

SubjectKind = Literal["revision", "prediction", "pair"]
FieldKind = Literal["scale", "choice", "text", "flag", "spans", "revision"]
Fact = Literal[
    "golden_answer", "golden_number", "retrieved", "history", "keypoints", "key_sentences"
]
"""What may be known of a subject before it is labelled; see `engine.labelling.forms.rules`."""
Hidden = Literal["automatic_verdict", "judge_scores", "system_name", "author", "other_raters"]
"""What a screen withholds until the rater has committed."""
Verdict = Literal["accept", "discard", "correct"]

NA = "na"
"""The value of a field that does not apply to the subject, in a rater's view."""

Value = int | str | bool | tuple[dict[str, Any], ...]
"""What a label holds: a number or key of a scale or choice, `na`, a text, a flag, a revision's
number, or spans as objects with `document_id`, `start` and `end`."""


class Choice(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A legal value. Its key is the value's digit unless told otherwise."""

    value: int | str
    zh: str
    en: str
    key: str = ""


class Field(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    key: str
    zh: str
    en: str
    kind: FieldKind
    choices: tuple[Choice, ...] = ()
    """Of a scale (numbers, in order) or a choice; empty for the other kinds."""
    na: bool = False
    """Whether `na` is legal; its key is `-`."""
    requires: tuple[Fact, ...] = ()
    """The field is asked only where all of these hold."""
    noted: tuple[int | str, ...] = ()
    """The values that are given with a note of the reason."""
    shortcut: str = ""
    """The key that leads to the field; empty where the cursor comes by itself."""
    help_zh: str = ""
    help_en: str = ""


class Condition(Struct, frozen=True, forbid_unknown_fields=True):
    """Holds when a field's value is one of these."""

    field: str
    values: tuple[int | str, ...]


class Requirement(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A field that a complete subject has a value of, always or under a condition."""

    field: str
    when: Condition | None = None


class SoftWarning(Struct, frozen=True, forbid_unknown_fields=True):
    """Values that contradict each other; said, never refused."""

    key: str
    when: tuple[Condition, ...]
    """All hold."""
    zh: str
    en: str


class Decision(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a form over revisions decides on the item: which values accept, discard or correct."""

    field: str
    accept: tuple[int | str, ...]
    discard: tuple[int | str, ...] = ()
    correct: tuple[int | str, ...] = ()
    correction: str = ""
    """The field that holds the proposed revision."""

    def verdict(self, value: Any) -> Verdict | None:
        if value in self.accept:
            return "accept"
        if value in self.discard:
            return "discard"
        return "correct" if value in self.correct else None


class Form(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What people are asked about one kind of subject; `engine.labelling.forms` ships some."""

    key: str
    zh: str
    en: str
    subject_kind: SubjectKind
    fields: tuple[Field, ...]
    complete: tuple[Requirement, ...]
    hidden: tuple[Hidden, ...] = ()
    warnings: tuple[SoftWarning, ...] = ()
    exclude_reasons: tuple[Choice, ...] = ()
    decision: Decision | None = None

    @property
    def proposal(self) -> str:
        """Key of the field that holds a revision which a rater writes; empty for a form without."""
        return next((field.key for field in self.fields if field.kind == "revision"), "")

    def field(self, key: str) -> Field:
        for field in self.fields:
            if field.key == key:
                return field
        known = (field.key for field in self.fields)
        raise InputError(f"Form {self.key!r} has no field {key!r}.", choices(key, known, "It has"))


class StoredForm(Struct, frozen=True):
    id: int
    version: int
    form: Form


def check_value(form: Form, key: str, value: Any) -> Value:
    """`value` as the field `key` stores it; raises InputError naming the legal ones."""
    field = form.field(key)
    if value == NA and type(value) is str and field.kind != "text":
        if field.na:
            return NA
        raise _illegal(form, field, value)
    legal = _LEGAL[field.kind](field, value)
    if not legal:
        raise _illegal(form, field, value)
    if field.kind == "spans":
        return tuple(value)
    checked: Value = value
    return checked


def reason_known(form: Form, reason: Any) -> bool:
    return any(same(choice.value, reason) for choice in form.exclude_reasons)


def same(a: Any, b: Any) -> bool:
    """Equality that tells 1 from True and from 1.0."""
    return type(a) is type(b) and bool(a == b)


def holds(condition: Condition, values: dict[str, Value]) -> bool:
    return condition.field in values and any(
        same(value, values[condition.field]) for value in condition.values
    )


def is_complete(form: Form, values: dict[str, Value], not_applicable: frozenset[str]) -> bool:
    """Whether every required field that applies has a value; `na` is one."""
    return all(
        requirement.field in values
        or requirement.field in not_applicable
        or (requirement.when is not None and not holds(requirement.when, values))
        for requirement in form.complete
    )


def _is_choice(field: Field, value: Any) -> bool:
    return any(same(choice.value, value) for choice in field.choices)


def _is_text(field: Field, value: Any) -> bool:
    return type(value) is str and bool(value.strip())


def _is_flag(field: Field, value: Any) -> bool:
    return value is True


def _is_revision(field: Field, value: Any) -> bool:
    return type(value) is int and value > 0


def _is_spans(field: Field, value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_span, value))


def _is_span(span: Any) -> bool:
    if not isinstance(span, dict) or set(span) != {"document_id", "start", "end"}:
        return False
    start, end = span["start"], span["end"]
    whole = start is None and end is None
    return type(span["document_id"]) is str and (
        whole or (type(start) is int and type(end) is int and 0 <= start < end)
    )


_LEGAL = {
    "scale": _is_choice,
    "choice": _is_choice,
    "text": _is_text,
    "flag": _is_flag,
    "revision": _is_revision,
    "spans": _is_spans,
}

_WANTED = {
    "text": "a text that is not blank",
    "flag": "true; `clear` takes a flag away",
    "revision": "a revision's number",
    "spans": "spans with document_id, start and end",
}


def _illegal(form: Form, field: Field, value: Any) -> InputError:
    values = [str(choice.value) for choice in field.choices] + ([NA] if field.na else [])
    wanted = _WANTED.get(field.kind) or ", ".join(values)
    if value == NA and type(value) is str:
        return InputError(
            f'{form.key}.{field.key} cannot be "-" (not applicable): {_always(form, field)}.',
            f"It takes {wanted}.",
        )
    return InputError(f"{form.key}.{field.key} cannot be {value!r}.", f"It takes {wanted}.")


_SUBJECTS = {"revision": "item", "prediction": "answer", "pair": "pair of answers"}


def _always(form: Form, field: Field) -> str:
    """Why a field that is asked always has a value."""
    if field.requires:
        return f"where {field.en} does not apply it is not asked"
    return f"{field.en} applies to every {_SUBJECTS[form.subject_kind]}"


def registered(db: sqlite3.Connection, form: Form) -> StoredForm | None:
    """The stored version of a form, if the latest has its content."""
    last = db.execute(
        "SELECT id, version, content_hash FROM form WHERE key = ? ORDER BY version DESC LIMIT 1",
        (form.key,),
    ).fetchone()
    if last is None or last[2] != content_hash(form):
        return None
    return StoredForm(last[0], last[1], form)


def register(db: sqlite3.Connection, form: Form) -> StoredForm:
    """The stored version of a form: the latest if its content is the same, else a new one, for
    which `check_change` is asked. Raises UsageError for a key that cannot be shown as it is."""
    stored = registered(db, form)
    if stored is not None:
        return stored
    check_printable("form", form.key)
    check_change(db, form)
    (version,) = db.execute(
        "SELECT coalesce(max(version), 0) + 1 FROM form WHERE key = ?", (form.key,)
    ).fetchone()
    number = db.execute(
        "INSERT INTO form (key, version, content, content_hash, created_at) VALUES (?, ?, ?, ?, ?)",
        (form.key, version, canonical_json(form).decode(), content_hash(form), now_text()),
    ).lastrowid
    assert number is not None
    return StoredForm(number, version, form)


def check_change(db: sqlite3.Connection, form: Form) -> None:
    """Raises Conflict for a form that is no version of the one that labels were given with: those
    keep what they are about, their fields and the values of these. Words may change, fields and
    values may be added."""
    row = db.execute(
        "SELECT content FROM form WHERE key = ?1 AND EXISTS (SELECT 1 FROM label_event"
        " JOIN form AS used ON used.id = form_id WHERE used.key = ?1)"
        " ORDER BY version DESC LIMIT 1",
        (form.key,),
    ).fetchone()
    if row is None:
        return
    lost = next(_lost(msgspec.json.decode(row[0], type=Form), form), "")
    if lost:
        raise Conflict(
            f"Form {form.key!r} has labels, and its new text {lost}.",
            "Put that back, or save the new form under another key.",
        )


def _lost(before: Form, now: Form) -> Iterator[str]:
    """What labels given with `before` could no longer be read by."""
    if before.subject_kind != now.subject_kind:
        yield f"is about a {now.subject_kind}, no longer about a {before.subject_kind}"
    fields = {field.key: field for field in now.fields}
    for field in before.fields:
        kept = fields.get(field.key)
        if kept is None or kept.kind != field.kind:
            yield f"has no field {field.key!r} of kind {field.kind}"
            continue
        if field.na and not kept.na:
            yield f"lets field {field.key!r} no longer be not applicable"
        for choice in field.choices:
            if not any(same(choice.value, one.value) for one in kept.choices):
                yield f"has no value {choice.value!r} of field {field.key!r}"
    if before.decision is not None and before.decision != now.decision:
        yield "decides otherwise about items"


def latest(db: sqlite3.Connection, key: str) -> StoredForm:
    """The newest stored version of a form; NotFound before anybody has used it."""
    row = db.execute(
        "SELECT id, version, content FROM form WHERE key = ? ORDER BY version DESC LIMIT 1", (key,)
    ).fetchone()
    if row is None:
        known = sorted({stored.form.key for stored in listing(db)})
        raise NotFound(
            f"Nothing has been labelled with a form {key!r}.", choices(key, known, "Used here")
        )
    return _stored(row)


def listing(db: sqlite3.Connection) -> list[StoredForm]:
    """The newest version of every stored form, by key."""
    rows = db.execute("SELECT id, max(version), content FROM form GROUP BY key ORDER BY key")
    return [_stored(row) for row in rows]


def by_id(db: sqlite3.Connection, number: int) -> StoredForm:
    """The stored version that events carry this number of."""
    row = db.execute("SELECT id, version, content FROM form WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise NotFound(f"There is no form with number {number}.")
    return _stored(row)


def all_versions(db: sqlite3.Connection) -> dict[int, StoredForm]:
    """All stored versions by their number, which is what events carry."""
    rows = db.execute("SELECT id, version, content FROM form")
    return {row[0]: _stored(row) for row in rows}


def _stored(row: tuple[int, int, str]) -> StoredForm:
    number, version, content = row
    return StoredForm(number, version, msgspec.json.decode(content, type=Form))
