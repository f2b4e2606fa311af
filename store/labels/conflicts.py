"""Where raters differ: conflicts with their places, and how much of them there is by form."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from msgspec import Struct

from store.errors import NotFound
from store.labels import consensus, samples
from store.labels.consensus import Settled
from store.labels.events import Subject
from store.labels.forms import Form


class PlacedConflict(Struct, frozen=True):
    """A conflict, and what it is about."""

    conflict: Settled
    topic: str
    task: str
    item_key: str
    question: str
    """Of an answer the question that it answers; of an item its last."""


class LabelCount(Struct, frozen=True):
    """What people have labelled with a form."""

    form: str
    raters: int
    """Who has completed a subject."""
    subjects: int
    """Subjects that somebody has completed, hidden repeats apart."""
    shared: int
    """Those that two or more have completed."""
    conflicts: int
    to_rule: int
    """Of these, what the rater who asks may rule on, having labelled nothing of the subject."""
    seq: int
    """Number of the last event of a completed subject, or of a ruling: another one means that what
    is computed of labels has changed."""


def signature(db: sqlite3.Connection) -> tuple[int, ...]:
    """Numbers that change when a subject is completed, changed, reopened or ruled on."""
    return tuple(
        db.execute(
            "SELECT (SELECT count(*) FROM label_status WHERE status = 'complete'),"
            " (SELECT coalesce(max(seq), 0) FROM label_status WHERE status = 'complete'),"
            " (SELECT count(*) FROM label_current WHERE aspect = 'adjudicate'),"
            " (SELECT coalesce(max(seq), 0) FROM label_current WHERE aspect = 'adjudicate')"
        ).fetchone()
    )


def placed(
    db: sqlite3.Connection, form: Form, *, sample: str | None = None
) -> list[PlacedConflict]:
    """The conflicts of a form, of a sample or of all, in the order of `label_review.conflicts`."""
    inside = None
    if sample is not None:
        drawn = samples.taken(db, samples.get(db, sample))
        inside = {candidate.subject for candidate in drawn}
    return [
        _placed(db, form, one)
        for one in consensus.conflicts(db, form)
        if inside is None or one.subject.id in inside
    ]


def _placed(db: sqlite3.Connection, form: Form, conflict: Settled) -> PlacedConflict:
    number = conflict.subject.numbers[0]
    if form.subject_kind == "revision":
        join, turn = "revision.id = ?", "(turns - 1)"
    else:
        join = "revision.id = (SELECT revision_id FROM prediction WHERE id = ?1)"
        turn = "(SELECT turn FROM prediction WHERE id = ?1)"
    row = db.execute(
        "SELECT topic, task, item_key,"
        f" json_extract(content, '$.turns[' || {turn} || '].question')"
        f" FROM revision JOIN item ON item.id = revision.item_id WHERE {join}",
        (number,),
    ).fetchone()
    if row is None:
        raise NotFound(f"{conflict.subject.kind} {conflict.subject.id} is gone.")
    return PlacedConflict(conflict, *row)


def to_rule(db: sqlite3.Connection, form: Form, rater: str) -> list[Settled]:
    """The conflicts that a rater may rule on as a third person: who has given the subject a value
    may not."""
    return of_third(db, form.key, rater, consensus.conflicts(db, form))


def of_third(
    db: sqlite3.Connection, form_key: str, rater: str, found: list[Settled]
) -> list[Settled]:
    """Of the conflicts of a form those that a rater may rule on, in their order."""
    rows = db.execute(
        "SELECT DISTINCT subject_kind, subject FROM label_current WHERE form_key = ? AND rater = ?"
        " AND aspect = 'value'",
        (form_key, rater),
    )
    own = {Subject(kind, subject) for kind, subject in rows}
    return [one for one in found if one.subject not in own]


def counts(
    db: sqlite3.Connection, load_form: Callable[[str], Form], rater: str = ""
) -> tuple[LabelCount, ...]:
    """By key, every form that somebody has completed a subject with; `load_form` gives the form of
    a key. Raters who shared nothing cannot differ, and are not compared. `rater` is who asks."""
    rows = db.execute(
        "SELECT form_key, sum(raters > 1) AS shared, count(*), (SELECT count(DISTINCT rater) FROM"
        " label_status AS s WHERE s.form_key = each.form_key AND s.status = 'complete'),"
        " max(max(last), (SELECT coalesce(max(seq), 0) FROM label_current AS c"
        " WHERE c.form_key = each.form_key AND aspect = 'adjudicate')) FROM"
        " (SELECT form_key, count(*) AS raters, max(seq) AS last FROM label_status"
        " WHERE status = 'complete'"
        " AND instr(subject, '#') = 0 GROUP BY form_key, subject_kind, subject) AS each"
        " GROUP BY form_key ORDER BY form_key"
    ).fetchall()
    out = []
    for key, shared, subjects, raters, seq in rows:
        found = consensus.conflicts(db, load_form(key)) if shared else []
        own = of_third(db, key, rater, found) if found else []
        out.append(LabelCount(key, raters, subjects, shared, len(found), len(own), seq))
    return tuple(out)
