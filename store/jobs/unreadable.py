"""Sources that jobs could not read, kept until somebody has seen them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from store.jobs import jobs

REFUSED = "refused"
SEEN = "seen"


class RefusedPart(msgspec.Struct, frozen=True):
    job_id: int
    job_title: str
    text: str
    """The file, the place in it, and the reason."""


def unseen(db: sqlite3.Connection) -> list[RefusedPart]:
    """Sources refused since they were last marked as seen, oldest first."""
    rows = db.execute(
        "SELECT job_id, title, text FROM job_event JOIN job ON job.id = job_id"
        " WHERE job_event.kind = ? AND NOT EXISTS (SELECT 1 FROM job_event AS later"
        " WHERE later.job_id = job_event.job_id AND later.kind = ? AND later.id > job_event.id)"
        " ORDER BY job_event.id",
        (REFUSED, SEEN),
    )
    return [RefusedPart(*row) for row in rows]


def mark_seen(db: sqlite3.Connection, job_ids: Iterable[int], rater: str) -> None:
    """Marks the refused sources of these jobs as seen; their events remain."""
    for job_id in sorted(set(job_ids)):
        jobs.note(db, job_id, SEEN, f"what was refused, by {rater}")
