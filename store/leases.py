"""Leases: who has a subject before them, so that no second rater is given it meanwhile."""

from __future__ import annotations

import sqlite3

from store.clock import now_seconds
from store.label_events import Subject

LEASE_SECONDS = 900.0
"""A rater who has done nothing for so long is taken to have left."""


def take(
    db: sqlite3.Connection,
    form_key: str,
    subject: Subject,
    rater: str,
    seconds: float = LEASE_SECONDS,
) -> None:
    """Takes or renews the rater's lease, and ends those that have expired."""
    now = now_seconds()
    db.execute("DELETE FROM lease WHERE until <= ?", (now,))
    db.execute(
        "INSERT INTO lease (form_key, subject_kind, subject, rater, until) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET until = excluded.until",
        (form_key, subject.kind, subject.id, rater, now + seconds),
    )


def release(db: sqlite3.Connection, form_key: str, rater: str) -> None:
    """Ends all leases of a rater on a form: on leaving the screen, and before taking the next."""
    db.execute("DELETE FROM lease WHERE form_key = ? AND rater = ?", (form_key, rater))


def holders(db: sqlite3.Connection, form_key: str, subject: Subject) -> list[str]:
    """Raters whose lease on a subject runs."""
    rows = db.execute(
        "SELECT rater FROM lease WHERE form_key = ? AND subject_kind = ? AND subject = ?"
        " AND until > ? ORDER BY rater",
        (form_key, subject.kind, subject.id, now_seconds()),
    )
    return [rater for (rater,) in rows]
