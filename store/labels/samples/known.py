"""Questions with known answers: given to raters among others, and counted apart from labels."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Literal

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.errors import Conflict
from store.hashing import canonical_json
from store.labels.forms import SubjectKind, Value
from store.labels.log.events import KNOWN, Subject
from store.labels.samples.samples import Sample

Purpose = Literal["attention", "training"]
"""To see whether a rater attends, told to nobody; to teach, told once it is answered."""


class KnownAnswer(Struct, frozen=True):
    """A question whose answer is known."""

    subject: Subject
    """As raters are given it."""
    purpose: Purpose
    answers: dict[str, Value]
    """By field."""
    reason: str
    """Told with the answer; empty where nobody gave one."""
    source: str
    """`adjudicated`, or the rater whose labels are the answer."""
    chosen_by: str
    at: str


class Answered(Struct, frozen=True):
    """What a rater said to a field of a known question, before the answer was told or anything
    hidden was looked at."""

    subject: Subject
    rater: str
    field: str
    value: Value
    known: Value
    at: str
    """When it was said."""


def known_subject(subject: Subject) -> Subject:
    """A subject as it is given where its answer is known."""
    return Subject(subject.kind, f"{subject.base}{KNOWN}")


def put(
    db: sqlite3.Connection,
    form_key: str,
    subject: Subject,
    purpose: Purpose,
    answers: dict[str, Value],
    *,
    reason: str,
    source: str,
    chosen_by: str,
) -> None:
    """Stores the known answer of a subject. Raises Conflict for one that has one already."""
    one = known_subject(subject)
    try:
        db.execute(
            "INSERT INTO known_answer (form_key, subject_kind, subject, purpose, answers, reason,"
            " source, chosen_by, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                form_key,
                one.kind,
                one.id,
                purpose,
                canonical_json(answers).decode(),
                reason,
                source,
                chosen_by,
                now_text(),
            ),
        )
    except sqlite3.IntegrityError as error:
        raise Conflict(
            f"The answer to {subject.kind} {subject.base} is known already.",
            "It is never changed, since raters were measured by it: choose another subject.",
        ) from error


_KNOWN = (
    "SELECT subject_kind, subject, purpose, answers, reason, source, chosen_by, at"
    " FROM known_answer WHERE form_key = ?"
)


def listing(db: sqlite3.Connection, form_key: str) -> list[KnownAnswer]:
    """All known answers of a form, by subject."""
    return [
        _known(*row)
        for row in db.execute(f"{_KNOWN} ORDER BY CAST(subject AS INTEGER)", (form_key,))
    ]


def of_subject(db: sqlite3.Connection, form_key: str, subject: Subject) -> KnownAnswer | None:
    """The known answer to a subject as raters are given it; None for an ordinary one."""
    if not subject.is_known:
        return None
    row = db.execute(
        f"{_KNOWN} AND subject_kind = ? AND subject = ?", (form_key, subject.kind, subject.id)
    ).fetchone()
    return None if row is None else _known(*row)


def _known(
    kind: SubjectKind, subject: str, purpose: Purpose, answers: str, *rest: str
) -> KnownAnswer:
    return KnownAnswer(Subject(kind, subject), purpose, msgspec.json.decode(answers), *rest)


def add_mix(
    db: sqlite3.Connection, sample: Sample, rate: float, seed: int, questions: int, mixed_by: str
) -> None:
    """Stores by what known questions were mixed into a sample."""
    db.execute(
        "INSERT INTO known_mix (sample_id, rate, seed, questions, mixed_by, at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (sample.id, rate, seed, questions, mixed_by, now_text()),
    )


def mixed_into(db: sqlite3.Connection, sample: Sample) -> dict[str, int]:
    """The known questions of a sample, each with the number of subjects that come before it."""
    rows = db.execute(
        "SELECT subject, due_after FROM assignment WHERE sample_id = ? AND due_after IS NOT NULL"
        " ORDER BY due_after, ordinal",
        (sample.id,),
    )
    return dict(rows.fetchall())


def answered(
    db: sqlite3.Connection, form_key: str, purposes: Iterable[Purpose] = ("attention", "training")
) -> list[Answered]:
    """What raters said to the known questions that they have completed, by subject, rater and
    field. Of each field the last value before the first look at what is hidden counts, whatever
    was changed later."""
    rows = db.execute(
        "WITH look AS (SELECT subject_kind, subject, rater, min(seq) AS seq FROM label_event"
        f"  WHERE kind = 'reveal' AND subject LIKE '%{KNOWN}' AND form_id IN"
        "  (SELECT id FROM form WHERE key = ?1) GROUP BY 1, 2, 3)"
        " SELECT known.subject_kind, known.subject, event.rater, event.field, event.value,"
        " known.answers, event.at, max(event.seq) FROM known_answer AS known"
        " JOIN label_event AS event ON event.subject_kind = known.subject_kind"
        "  AND event.subject = known.subject AND event.kind = 'set'"
        " JOIN form ON form.id = event.form_id AND form.key = known.form_key"
        " LEFT JOIN look ON look.subject_kind = known.subject_kind"
        "  AND look.subject = known.subject AND look.rater = event.rater"
        " WHERE known.form_key = ?1 AND known.purpose IN (SELECT value FROM json_each(?2))"
        "  AND event.seq < coalesce(look.seq, event.seq + 1) AND (look.seq IS NOT NULL"
        "   OR EXISTS (SELECT 1 FROM label_status AS done WHERE done.form_key = known.form_key"
        "    AND done.subject_kind = known.subject_kind AND done.subject = known.subject"
        "    AND done.rater = event.rater AND done.status = 'complete'))"
        "  AND NOT EXISTS (SELECT 1 FROM label_event AS undo WHERE undo.undoes = event.seq"
        "   AND undo.kind = 'undo' AND undo.seq < coalesce(look.seq, undo.seq + 1)"
        "   AND NOT EXISTS (SELECT 1 FROM label_event AS redo WHERE redo.undoes = undo.seq))"
        " GROUP BY known.subject_kind, known.subject, event.rater, event.field"
        " ORDER BY CAST(known.subject AS INTEGER), known.subject, event.rater, event.field",
        (form_key, canonical_json(sorted(purposes)).decode()),
    )
    decode = msgspec.json.decode
    return [
        Answered(Subject(kind, subject), rater, field, decode(value), decode(answers)[field], at)
        for kind, subject, rater, field, value, answers, at, _ in rows
        if field in decode(answers)
    ]
