"""Samples: what is to be labelled with a form, how often and by whom."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.errors import Conflict, UsageError
from store.hashing import canonical_json
from store.labels.forms import SubjectKind
from store.labels.log import log
from store.labels.log.events import Subject
from store.messages import check_printable, no_such
from store.records import UNASSIGNED


class Sample(Struct, frozen=True):
    id: int
    name: str
    form_key: str
    subject_kind: SubjectKind
    raters: tuple[str, ...]
    """Who labels it; empty for whoever comes."""
    settings: dict[str, Any]
    """How it was drawn: seed, quota, source."""
    created_at: str
    closed_at: str | None = None
    """Since when nobody is asked about it; null while it is open."""
    adjudicators: tuple[str, ...] = ()
    """Who rules on its conflicts; empty for whoever has not labelled the subject."""
    aids: bool = False
    """Whether raters may see before their label how an answer compares with the golden one."""


class Candidate(Struct, frozen=True):
    """A subject that may be drawn."""

    subject: str
    topic: str = UNASSIGNED
    task: str = UNASSIGNED
    stratum: str = ""
    """What the draw is balanced over within a cell: a system, a judge's value."""
    group_key: str = ""
    not_applicable: tuple[str, ...] = ()
    """Fields of the form that are not asked of it."""


class Assignment(Struct, frozen=True):
    """A drawn subject, to be labelled by so many raters."""

    candidate: Candidate
    raters_wanted: int = 1
    repeats: str | None = None
    """The subject that this one shows again, hidden, to the same rater; null for the first time."""
    due_after: int | None = None
    """Of a question whose answer is known: how many subjects a rater is done with before it."""


def create(
    db: sqlite3.Connection,
    name: str,
    form_key: str,
    subject_kind: SubjectKind,
    settings: dict[str, Any],
    raters: Sequence[str] = (),
    *,
    aids: bool = False,
) -> Sample:
    """A new, empty sample. A name that is taken or blank raises UsageError."""
    if not name.strip():
        raise UsageError("A sample needs a name.", "Name it.", "--name NAME")
    check_printable("sample", name)
    try:
        db.execute(
            "INSERT INTO sample (name, form_key, subject_kind, raters, settings, created_at, aids)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (name, form_key, subject_kind, _json(list(raters)), _json(settings), now_text(), aids),
        )
    except sqlite3.IntegrityError as error:
        raise UsageError(f"Sample {name!r} exists already.", "Choose another name.") from error
    return get(db, name)


_COLUMNS = (
    "sample.id, name, sample.form_key, sample.subject_kind, raters, settings, created_at,"
    " closed_at, adjudicators, aids"
)
_SAMPLE = f"SELECT {_COLUMNS} FROM sample"


def get(db: sqlite3.Connection, name: str) -> Sample:
    row = db.execute(_SAMPLE + " WHERE name = ?", (name,)).fetchone()
    if row is None:
        names = (sample.name for sample in listing(db, closed=True))
        raise no_such("sample", name, names, "Samples here")
    return _sample(row)


def of_form(db: sqlite3.Connection, name: str, form_key: str) -> Sample:
    """The sample of that name; NotFound for an unknown one, UsageError for one of another form."""
    sample = get(db, name)
    if sample.form_key != form_key:
        raise UsageError(
            f"Sample {name!r} is of form {sample.form_key!r}, not {form_key!r}.",
            "Use its form.",
            f"--form {sample.form_key}",
        )
    return sample


def listing(
    db: sqlite3.Connection, form_key: str | None = None, *, closed: bool = False
) -> list[Sample]:
    """Samples that are open, oldest first, with `closed` the others too; of one form."""
    rows = db.execute(
        _SAMPLE + " WHERE (?2 OR closed_at IS NULL) AND (?1 IS NULL OR form_key = ?1) ORDER BY id",
        (form_key, closed),
    )
    return [_sample(row) for row in rows]


def last_of(db: sqlite3.Connection, rater: str, *, other_than: str = "") -> Sample | None:
    """The sample that a rater was at last, by the subject that they had before them or labelled;
    None for someone who has labelled nothing. Samples of the form `other_than` do not count."""
    row = db.execute(
        "WITH last AS (SELECT * FROM ("
        "   SELECT form_key, subject_kind, subject, 1 AS held, number AS at FROM lease"
        "     WHERE rater = ?1 UNION ALL"
        "   SELECT form_key, subject_kind, subject, 0, seq FROM label_status WHERE rater = ?1)"
        "  WHERE form_key <> ?2 ORDER BY held DESC, at DESC LIMIT 1)"
        f" SELECT {_COLUMNS} FROM last JOIN assignment AS a ON a.subject = last.subject"
        " JOIN sample ON sample.id = a.sample_id AND sample.form_key = last.form_key"
        " AND sample.subject_kind = last.subject_kind WHERE closed_at IS NULL"
        " ORDER BY sample.id DESC LIMIT 1",
        (rater, other_than),
    ).fetchone()
    return None if row is None else _sample(row)


def assign(db: sqlite3.Connection, sample: Sample, raters: Sequence[str]) -> Sample:
    """Says who labels a sample from now on; nobody named means whoever comes."""
    _check_names("Raters", raters)
    (most,) = db.execute(
        "SELECT coalesce(max(raters_wanted), 0) FROM assignment WHERE sample_id = ?", (sample.id,)
    ).fetchone()
    if raters and len(raters) < most:
        raise Conflict(
            f"Sample {sample.name!r} wants {most} raters a subject, but {len(raters)} were named.",
            "Name as many, or more.",
        )
    db.execute("UPDATE sample SET raters = ? WHERE id = ?", (_json(list(raters)), sample.id))
    return get(db, sample.name)


def set_adjudicators(db: sqlite3.Connection, sample: Sample, names: Sequence[str]) -> Sample:
    """Says who rules on the conflicts of a sample from now on; nobody named means whoever has not
    labelled the subject."""
    _check_names("Adjudicators", names)
    db.execute("UPDATE sample SET adjudicators = ? WHERE id = ?", (_json(list(names)), sample.id))
    return get(db, sample.name)


def _check_names(who: str, names: Sequence[str]) -> None:
    if any(not name.strip() for name in names) or len(set(names)) != len(names):
        raise UsageError(f"{who} are named once each, and not blank.")
    for name in names:
        check_printable("rater", name)


def close(db: sqlite3.Connection, sample: Sample) -> Sample:
    """Takes a sample out of the queues of its raters; its labels stay, and count as before. One
    that is closed keeps its date."""
    db.execute(
        "UPDATE sample SET closed_at = coalesce(closed_at, ?) WHERE id = ?", (now_text(), sample.id)
    )
    return get(db, sample.name)


def reopen(db: sqlite3.Connection, sample: Sample) -> Sample:
    """Puts a closed sample back into the queues."""
    db.execute("UPDATE sample SET closed_at = NULL WHERE id = ?", (sample.id,))
    return get(db, sample.name)


def check_open(sample: Sample) -> None:
    """Raises Conflict for a sample that is closed."""
    if sample.closed_at is not None:
        raise Conflict(
            f"Sample {sample.name!r} is closed since {sample.closed_at[:10]}.",
            "Reopen it first.",
            f"ragdesk sample reopen {sample.name}",
        )


def add(db: sqlite3.Connection, sample: Sample, assignments: Sequence[Assignment]) -> int:
    """Adds to the end of a sample; what it holds already keeps its place. Returns how many came."""
    (last,) = db.execute(
        "SELECT coalesce(max(ordinal), -1) FROM assignment WHERE sample_id = ?", (sample.id,)
    ).fetchone()
    have = {subject for subject, _ in subjects(db, sample)}
    fresh = [one for one in assignments if one.candidate.subject not in have]
    if sample.raters and any(one.raters_wanted > len(sample.raters) for one in fresh):
        raise Conflict(
            f"Sample {sample.name!r} has {len(sample.raters)} raters, fewer than it wants.",
            "Assign more raters first.",
        )
    db.executemany(
        "INSERT INTO assignment (sample_id, ordinal, subject, repeats, raters_wanted, topic, task,"
        " stratum, group_key, not_applicable, due_after)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (_row(sample, last + 1 + place, one) for place, one in enumerate(fresh)),
    )
    _refresh_labelled(db, sample, {one.candidate.subject for one in fresh})
    return len(fresh)


def subjects(db: sqlite3.Connection, sample: Sample) -> list[tuple[str, str | None]]:
    """The drawn subjects in their order, each with the one that it repeats."""
    rows = db.execute(
        "SELECT subject, repeats FROM assignment WHERE sample_id = ? ORDER BY ordinal", (sample.id,)
    )
    return rows.fetchall()


def taken(db: sqlite3.Connection, sample: Sample) -> list[Candidate]:
    """What a sample holds, without hidden repeats, in its order."""
    rows = db.execute(
        "SELECT subject, topic, task, stratum, group_key, not_applicable FROM assignment"
        " WHERE sample_id = ? AND repeats IS NULL ORDER BY ordinal",
        (sample.id,),
    )
    return [
        Candidate(subject, topic, task, stratum, group, _names(fields))
        for subject, topic, task, stratum, group, fields in rows
    ]


def label_counts(db: sqlite3.Connection, sample: Sample) -> dict[int, int]:
    """How many of its subjects, hidden repeats apart, so many raters are done with, by that
    number."""
    rows = db.execute(
        "SELECT json_array_length(done_by) AS labels, sum(subjects) FROM assignment_tally"
        " WHERE sample_id = ? AND subjects > 0 GROUP BY labels ORDER BY labels",
        (sample.id,),
    )
    return dict(rows.fetchall())


def _refresh_labelled(db: sqlite3.Connection, sample: Sample, fresh: set[str]) -> None:
    """Fields that do not apply are known from here on, also of what was labelled before."""
    rows = db.execute(
        "SELECT DISTINCT rater, subject FROM label_status WHERE form_key = ? AND subject_kind = ?",
        (sample.form_key, sample.subject_kind),
    ).fetchall()
    for rater, subject in rows:
        if subject in fresh:
            log.refresh(db, sample.form_key, rater, Subject(sample.subject_kind, subject))


def _row(sample: Sample, ordinal: int, one: Assignment) -> tuple[Any, ...]:
    candidate = one.candidate
    return (
        sample.id,
        ordinal,
        candidate.subject,
        one.repeats,
        one.raters_wanted,
        candidate.topic,
        candidate.task,
        candidate.stratum,
        candidate.group_key,
        _json(sorted(candidate.not_applicable)),
        one.due_after,
    )


def _sample(row: tuple[Any, ...]) -> Sample:
    id, name, form_key, kind, raters, settings, created_at, closed_at, adjudicators, aids = row
    return Sample(
        id,
        name,
        form_key,
        kind,
        _names(raters),
        msgspec.json.decode(settings),
        created_at,
        closed_at,
        _names(adjudicators),
        bool(aids),
    )


def _names(text: str) -> tuple[str, ...]:
    return msgspec.json.decode(text, type=tuple[str, ...])


def _json(value: Any) -> str:
    return canonical_json(value).decode()
