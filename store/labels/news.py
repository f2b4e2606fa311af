"""What is new to raters: the message of the lead, and guidelines that have changed; who saw it."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from store.clock import now_text
from store.sharing.accounts import account

MESSAGE = "message"


class News(Struct, frozen=True):
    """Something new; `what` is MESSAGE, or the key of the form whose guideline it is."""

    what: str
    version: int
    at: str
    author: str
    text: str
    """The message; of a guideline nothing."""


class Seen(Struct, frozen=True):
    rater: str
    at: str


def post(db: sqlite3.Connection, text: str) -> None:
    """Tells everybody something from now on; an empty text ends it."""
    db.execute(
        "INSERT INTO team_message (at, account, text) VALUES (?, ?, ?)",
        (now_text(), account(), " ".join(text.split())),
    )


def message(db: sqlite3.Connection) -> News | None:
    """The message that holds."""
    row = db.execute(
        "SELECT id, at, account, text FROM team_message ORDER BY id DESC LIMIT 1"
    ).fetchone()
    return News(MESSAGE, *row) if row is not None and row[3] else None


def unseen(db: sqlite3.Connection, rater: str) -> list[News]:
    """The message, and the newest guidelines of the forms that the rater has labelled with or is
    named for, as far as the rater has not seen them."""
    told = message(db)
    rows = db.execute(
        "SELECT form_key, max(version), at, author, '' FROM guideline WHERE"
        " EXISTS (SELECT 1 FROM label_status AS own WHERE own.form_key = guideline.form_key"
        "  AND rater = ?1) OR EXISTS (SELECT 1 FROM sample, json_each(raters) AS named"
        "  WHERE sample.form_key = guideline.form_key AND closed_at IS NULL AND named.value = ?1)"
        " GROUP BY form_key ORDER BY form_key",
        (rater,),
    )
    news = [*([told] if told else []), *(News(*row) for row in rows)]
    return [one for one in news if not _has_seen(db, one, rater)]


def _has_seen(db: sqlite3.Connection, one: News, rater: str) -> bool:
    row = db.execute(
        "SELECT 1 FROM news_seen WHERE what = ? AND version = ? AND rater = ?",
        (one.what, one.version, rater),
    )
    return row.fetchone() is not None


def mark_seen(db: sqlite3.Connection, what: str, version: int, rater: str) -> None:
    """Stores that a rater has seen this; the first time counts."""
    db.execute(
        "INSERT OR IGNORE INTO news_seen (what, version, rater, at) VALUES (?, ?, ?, ?)",
        (what, version, rater, now_text()),
    )


def seen_by(db: sqlite3.Connection, what: str, version: int) -> list[Seen]:
    """Who has seen this, in the order of time."""
    rows = db.execute(
        "SELECT rater, at FROM news_seen WHERE what = ? AND version = ? ORDER BY at, rater",
        (what, version),
    )
    return [Seen(*row) for row in rows]
