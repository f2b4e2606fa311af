"""Drafts: text that a rater has half typed, kept until it is committed or thrown away."""

from __future__ import annotations

import sqlite3

from store.clock import now_text
from store.labels.log.events import Subject


def save(
    db: sqlite3.Connection, rater: str, form_key: str, subject: Subject, field: str, text: str
) -> None:
    """Keeps `text`. `field` is a form's field, or a part of one as `correction/turns.0.question`:
    a label of the field ends its drafts."""
    db.execute(
        "INSERT INTO draft (rater, form_key, subject_kind, subject, field, text, at, after,"
        "  number) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
        "  (SELECT coalesce(max(seq), 0) FROM label_event WHERE rater = ?1),"
        "  (SELECT coalesce(max(number), 0) + 1 FROM draft WHERE rater = ?1))"
        " ON CONFLICT DO UPDATE SET text = excluded.text, at = excluded.at, after = excluded.after,"
        "  number = excluded.number",
        (rater, form_key, subject.kind, subject.id, field, text, now_text()),
    )


def of(db: sqlite3.Connection, rater: str, form_key: str, subject: Subject) -> dict[str, str]:
    """A rater's drafts for a subject: text by field."""
    rows = db.execute(
        "SELECT field, text FROM draft WHERE rater = ? AND form_key = ? AND subject_kind = ?"
        " AND subject = ? ORDER BY field",
        (rater, form_key, subject.kind, subject.id),
    )
    return dict(rows.fetchall())


def latest(db: sqlite3.Connection, rater: str, form_key: str) -> Subject | None:
    """The subject that a rater was typing something for when they left; None when they have
    labelled something since."""
    row = db.execute(
        "SELECT subject_kind, subject FROM draft WHERE rater = ?1 AND form_key = ?2"
        " AND after >= coalesce((SELECT max(seq) FROM label_event JOIN form ON form.id = form_id"
        "   WHERE rater = ?1 AND form.key = ?2), 0)"
        " ORDER BY after DESC, number DESC LIMIT 1",
        (rater, form_key),
    ).fetchone()
    return None if row is None else Subject(*row)


def discard(
    db: sqlite3.Connection, rater: str, form_key: str, subject: Subject, field: str
) -> None:
    """Forgets the drafts of a field and its parts."""
    db.execute(
        "DELETE FROM draft WHERE rater = ?1 AND form_key = ?2 AND subject_kind = ?3"
        " AND subject = ?4 AND (field = ?5 OR substr(field, 1, length(?5) + 1) = ?5 || '/')",
        (rater, form_key, subject.kind, subject.id, field),
    )
