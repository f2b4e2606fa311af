"""How each standing label came about: under which guideline, after what, with which comment."""

from __future__ import annotations

import sqlite3

import msgspec
from msgspec import Struct

from store.labels.events import IDLE_CUT_MS, Origin

Key = tuple[str, str, str]
"""Subject, field and rater."""


class Provenance(Struct, frozen=True):
    origin: Origin
    guideline: str
    """Version in force; empty without one."""
    active_ms: int
    """Time at the keys over all that the rater did to the field."""
    comment: str = ""


def of_form(db: sqlite3.Connection, form_key: str) -> dict[Key, Provenance]:
    """Of every value that stands in a form; hidden repeats are left out."""
    comments = {
        (subject, field, rater): str(msgspec.json.decode(value))
        for subject, field, rater, value in db.execute(
            "SELECT subject, field, rater, value FROM label_current"
            " WHERE form_key = ? AND aspect = 'comment'",
            (form_key,),
        )
    }
    spent = {
        (subject, field, rater): active
        for subject, field, rater, active in db.execute(
            "SELECT subject, field, rater, sum(min(coalesce(active_ms, 0), ?)) FROM label_event"
            " JOIN form ON form.id = form_id WHERE form.key = ? GROUP BY 1, 2, 3",
            (IDLE_CUT_MS, form_key),
        )
    }
    rows = db.execute(
        "SELECT subject, field, rater, origin, guideline FROM label_current"
        " WHERE form_key = ? AND aspect = 'value' AND instr(subject, '#') = 0",
        (form_key,),
    )
    return {
        (key := (subject, field, rater)): Provenance(
            origin, guideline, spent.get(key, 0), comments.get(key, "")
        )
        for subject, field, rater, origin, guideline in rows
    }


def unfinished(db: sqlite3.Connection, form_key: str) -> frozenset[str]:
    """Subjects that somebody has begun and nobody has completed."""
    rows = db.execute(
        "SELECT DISTINCT subject FROM label_status AS mine WHERE form_key = ?"
        " AND instr(subject, '#') = 0 AND status IN ('partial', 'postponed') AND NOT EXISTS"
        " (SELECT 1 FROM label_status AS other WHERE other.form_key = mine.form_key"
        "  AND other.subject = mine.subject AND other.status = 'complete')",
        (form_key,),
    )
    return frozenset(subject for (subject,) in rows)
