"""What raters agree and differ on, adjudication with its grounds, and the work behind labels."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Literal

import msgspec
from msgspec import Struct

from store.datasets import datasets
from store.errors import Conflict, InputError
from store.labels import log
from store.labels.checks import check_subject
from store.labels.events import EventKind, Status, Subject
from store.labels.forms import Form, StoredForm, Value
from store.records import Facet, ItemState, Turn

Source = Literal["single", "unanimous", "adjudicated", "conflict"]


class RaterValue(Struct, frozen=True):
    rater: str
    value: Value
    seq: int


class Settled(Struct, frozen=True):
    """What holds of one field of a subject, and how it came about."""

    subject: Subject
    field: str
    value: Value | None
    """Null in a conflict."""
    source: Source
    raters: tuple[RaterValue, ...]
    adjudicator: str = ""


class Work(Struct, frozen=True):
    """A rater's work on a subject, with the subject's place."""

    subject: Subject
    rater: str
    status: Status
    at: str
    active_ms: int
    """Time at the keys; pauses count at most IDLE_CUT_MS each."""
    topic: str
    task: str
    facets: dict[str, Facet]
    value: Value | None
    """Of the form's deciding field; null when the form decides nothing."""
    item_state: ItemState


class Material(Struct, frozen=True):
    """What the raters of a subject had before them, without whose answers they are."""

    turns: tuple[Turn, ...]
    """Of an answer, up to the one that it answers."""
    answers: tuple[str, ...]
    """None of an item, one of a prediction, A and B of a pair."""


_DIFFERING = (
    " AND (c.subject_kind, c.subject, c.field) IN (SELECT o.subject_kind, o.subject, o.field"
    " FROM label_current AS o JOIN label_status AS t USING (form_key, subject_kind, subject, rater)"
    " WHERE o.form_key = ? AND o.aspect = 'value' AND t.status = 'complete'"
    " GROUP BY 1, 2, 3 HAVING count(DISTINCT o.value) > 1)"
)
_COMPARED = ("scale", "choice", "flag", "revision")
"""Kinds of field whose values raters can differ on; texts and spans are never equal."""


def settled(db: sqlite3.Connection, form: Form, *, subject: Subject | None = None) -> list[Settled]:
    """What holds of every field that a rater with a complete subject has set, by subject and field.

    Corrections are compared by their content. An adjudication holds as long as the raters' labels
    are those that it weighed. Hidden repeats are left out.
    """
    return _settled(db, form, subject)


def _settled(
    db: sqlite3.Connection, form: Form, subject: Subject | None, *, differing: bool = False
) -> list[Settled]:
    """With `differing` only fields that complete raters gave different values; equal corrections
    may be among them."""
    fields = [field.key for field in form.fields if field.kind in _COMPARED]
    marks = ",".join("?" * len(fields))
    rows = db.execute(
        "SELECT c.subject_kind, c.subject, c.field, c.rater, c.value, c.seq FROM label_current AS c"
        " JOIN label_status AS s USING (form_key, subject_kind, subject, rater)"
        " WHERE c.form_key = ? AND c.aspect = 'value' AND s.status = 'complete'"
        f" AND c.field IN ({marks}) AND instr(c.subject, '#') = 0"
        + (" AND c.subject = ?" if subject is not None else "")
        + (_DIFFERING if differing else "")
        + " ORDER BY c.subject_kind, CAST(c.subject AS INTEGER), c.subject, c.field, c.rater",
        (
            form.key,
            *fields,
            *((subject.id,) if subject is not None else ()),
            *((form.key,) if differing else ()),
        ),
    ).fetchall()
    rulings = _rulings(db, form)
    out = []
    for (kind, name, field), group in groupby(rows, key=lambda row: row[:3]):
        given = tuple(RaterValue(rater, _decode(value), seq) for *_, rater, value, seq in group)
        place = Subject(kind, name)
        out.append(_settle(db, form, place, field, given, rulings.get((place, field), [])))
    return out


def material(db: sqlite3.Connection, form: Form, subject: Subject) -> Material:
    """What a subject is about, for an adjudicator. NotFound for one that there is not."""
    check_subject(db, form, subject)
    if subject.kind == "revision":
        return Material(datasets.content(db, subject.numbers[0]).turns, ())
    rows = [
        db.execute(
            "SELECT revision_id, turn, coalesce(answer, '') FROM prediction WHERE id = ?",
            (number,),
        ).fetchone()
        for number in subject.numbers
    ]
    revision, turn, _ = rows[0]
    turns = datasets.content(db, revision).turns[: turn + 1]
    return Material(turns, tuple(answer for *_, answer in rows))


def conflicts(db: sqlite3.Connection, form: Form) -> list[Settled]:
    """The queue of adjudication: fields on which raters differ and nobody has ruled."""
    return [one for one in _settled(db, form, None, differing=True) if one.source == "conflict"]


def majority(given: Sequence[RaterValue]) -> Value | None:
    """What more than half of the raters say; null where there is none."""
    value, votes = Counter(one.value for one in given).most_common(1)[0]
    return value if 2 * votes > len(given) else None


def adjudicate(
    db: sqlite3.Connection,
    form: StoredForm,
    adjudicator: str,
    subject: Subject,
    field: str,
    value: Any,
    *,
    allow_own: bool = False,
    active_ms: int | None = None,
) -> int:
    """Rules on a field of a subject; returns the event's number. What the raters had said is kept
    with it. By default a third person rules: a rater of the subject is refused with Conflict."""
    weighed = db.execute(
        "SELECT rater, seq FROM label_current WHERE form_key = ? AND subject_kind = ?"
        " AND subject = ? AND field = ? AND aspect = 'value' ORDER BY seq",
        (form.form.key, subject.kind, subject.id, field),
    ).fetchall()
    if not weighed:
        form.form.field(field)
        raise InputError(f"Nobody has labelled {field!r} of {subject.kind} {subject.id}.")
    if not allow_own and log.values(db, form.form.key, adjudicator, subject):
        raise Conflict(
            f"{adjudicator} has labelled {subject.kind} {subject.id}, and does not rule on it.",
            "Let a third person adjudicate, or give --allow-own to `ragdesk adjudicate set`.",
        )
    written = log.append(
        db,
        form,
        adjudicator,
        subject,
        field,
        value,
        kind=EventKind.ADJUDICATE,
        active_ms=active_ms,
    )
    db.executemany(
        "INSERT INTO adjudication_basis (seq, weighed) VALUES (?, ?)",
        ((written.seq, label) for _, label in weighed),
    )
    return written.seq


def work(db: sqlite3.Connection, form: Form) -> list[Work]:
    """Everything that raters have done with a form, by subject and rater; untouched ones absent."""
    # a cast to a number reads the first one: of a repeat (`12#1`), of a pair (`12:13`)
    revision = (
        "CAST(s.subject AS INTEGER)"
        if form.subject_kind == "revision"
        else "(SELECT revision_id FROM prediction WHERE id = CAST(s.subject AS INTEGER))"
    )
    rows = db.execute(
        "SELECT s.subject_kind, s.subject, s.rater, s.status, s.at, topic, task,"
        " json_extract(content, '$.facets'), item.state FROM label_status AS s"
        f" JOIN revision ON revision.id = {revision} JOIN item ON item.id = revision.item_id"
        " WHERE s.form_key = ? ORDER BY CAST(s.subject AS INTEGER), s.subject, s.rater",
        (form.key,),
    )
    spent = _spent(db, form)
    decided = _decided(db, form)
    return [
        Work(
            Subject(kind, subject),
            rater,
            status,
            at,
            spent.get((subject, rater), 0),
            topic,
            task,
            msgspec.json.decode(facets) if facets else {},
            decided.get((subject, rater)),
            ItemState(state),
        )
        for kind, subject, rater, status, at, topic, task, facets, state in rows
    ]


def _spent(db: sqlite3.Connection, form: Form) -> dict[tuple[str, str], int]:
    rows = db.execute(
        "SELECT subject, rater, sum(coalesce(active_ms, 0)) FROM label_event"
        " JOIN form ON form.id = form_id WHERE form.key = ? GROUP BY 1, 2",
        (form.key,),
    )
    return {(subject, rater): spent for subject, rater, spent in rows}


def _decided(db: sqlite3.Connection, form: Form) -> dict[tuple[str, str], Value]:
    """The values of the form's deciding field; nothing for a form that decides nothing."""
    if form.decision is None:
        return {}
    rows = db.execute(
        "SELECT subject, rater, value FROM label_current WHERE form_key = ? AND field = ?"
        " AND aspect = 'value'",
        (form.key, form.decision.field),
    )
    return {(subject, rater): _decode(value) for subject, rater, value in rows}


Ruling = tuple[str, Value, frozenset[int]]


def _rulings(db: sqlite3.Connection, form: Form) -> dict[tuple[Subject, str], list[Ruling]]:
    """Standing adjudications with the labels that they weighed, latest first."""
    rows = db.execute(
        "SELECT subject_kind, subject, field, rater, value, (SELECT group_concat(weighed)"
        "   FROM adjudication_basis WHERE adjudication_basis.seq = label_current.seq)"
        " FROM label_current WHERE form_key = ? AND aspect = 'adjudicate' ORDER BY seq DESC",
        (form.key,),
    )
    out: dict[tuple[Subject, str], list[Ruling]] = {}
    for kind, subject, field, rater, value, weighed in rows:
        grounds = frozenset(int(seq) for seq in (weighed or "").split(",") if seq)
        ruling = (rater, _decode(value), grounds)
        out.setdefault((Subject(kind, subject), field), []).append(ruling)
    return out


def _settle(
    db: sqlite3.Connection,
    form: Form,
    subject: Subject,
    field: str,
    given: tuple[RaterValue, ...],
    rulings: Iterable[Ruling],
) -> Settled:
    now = {one.seq for one in given}
    for adjudicator, value, weighed in rulings:
        if now <= weighed:
            return Settled(subject, field, value, "adjudicated", given, adjudicator)
    if len(given) == 1:
        return Settled(subject, field, given[0].value, "single", given)
    is_text = form.field(field).kind == "revision"
    if len({_compared(db, one.value, is_text) for one in given}) == 1:
        return Settled(subject, field, given[0].value, "unanimous", given)
    return Settled(subject, field, None, "conflict", given)


def _compared(db: sqlite3.Connection, value: Value, is_text: bool) -> object:
    if not is_text:
        # with its type, since 1 == True
        return (type(value), value)
    return db.execute("SELECT content_hash FROM revision WHERE id = ?", (value,)).fetchone()


def _decode(text: str) -> Any:
    return msgspec.json.decode(text)
