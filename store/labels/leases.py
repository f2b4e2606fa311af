"""Leases: who has a subject before them, so that no second rater is given it meanwhile."""

from __future__ import annotations

import sqlite3

from store.clock import now_seconds
from store.labels.events import Subject

LEASE_SECONDS = 900.0
"""A rater who has done nothing for so long is taken to have left."""
KEPT_SECONDS = 60 * 86_400.0
"""How long an expired lease still says what a rater had before them last."""


def take(
    db: sqlite3.Connection,
    form_key: str,
    subject: Subject,
    rater: str,
    seconds: float = LEASE_SECONDS,
) -> None:
    """Takes or renews the rater's lease. One that has expired holds nobody back; it stays for a
    while, because it says where its rater left off."""
    now = now_seconds()
    db.execute("DELETE FROM lease WHERE until <= ?", (now - KEPT_SECONDS,))
    db.execute(
        "INSERT INTO lease (form_key, subject_kind, subject, rater, until) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET until = excluded.until",
        (form_key, subject.kind, subject.id, rater, now + seconds),
    )


def last(db: sqlite3.Connection, form_key: str, rater: str) -> Subject | None:
    """What a rater had before them last, whether the lease still runs or not."""
    row = db.execute(
        "SELECT subject_kind, subject FROM lease WHERE form_key = ? AND rater = ?"
        " ORDER BY until DESC LIMIT 1",
        (form_key, rater),
    ).fetchone()
    return None if row is None else Subject(*row)


def last_form(db: sqlite3.Connection, rater: str) -> str | None:
    """Key of the form that a rater was at last; None for someone who has judged nothing lately."""
    row = db.execute(
        "SELECT form_key FROM lease WHERE rater = ? ORDER BY until DESC LIMIT 1", (rater,)
    ).fetchone()
    return None if row is None else str(row[0])


def release(db: sqlite3.Connection, form_key: str, rater: str) -> None:
    """Ends all leases of a rater on a form: before the next is taken, and at the queue's end."""
    db.execute("DELETE FROM lease WHERE form_key = ? AND rater = ?", (form_key, rater))


def holders(db: sqlite3.Connection, form_key: str, subject: Subject) -> list[str]:
    """Raters whose lease on a subject runs."""
    rows = db.execute(
        "SELECT rater FROM lease WHERE form_key = ? AND subject_kind = ? AND subject = ?"
        " AND until > ? ORDER BY rater",
        (form_key, subject.kind, subject.id, now_seconds()),
    )
    return [rater for (rater,) in rows]
