"""Label events are appended and never changed, whichever way SQL tries it."""

from __future__ import annotations

import sqlite3

import pytest

from store.workspace import Workspace

APPEND = (
    "INSERT INTO label_event (at, rater, form_id, subject_kind, subject, field, value, kind,"
    " undoes, origin, active_ms, guideline)"
    " VALUES ('2026', ?, 1, 'revision', '1', 'score', ?, 'set', ?, 'app', 900, '')"
)


@pytest.fixture
def db(workspace: Workspace) -> sqlite3.Connection:
    """A store with one form and two events, the second undoing the first."""
    with workspace.write(durable=True) as db:
        db.execute("INSERT INTO form VALUES (1, 'inspection', 1, '{}', 'b2:0', '2026')")
        db.execute(APPEND, ("王芳", "4", None))
        db.execute(APPEND, ("王芳", None, 1))
    return workspace.db


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("UPDATE label_event SET value = '5'", "changed"),
        ("DELETE FROM label_event WHERE seq = 1", "deleted"),
        ("DELETE FROM label_event", "deleted"),
        ("INSERT OR REPLACE INTO label_event SELECT * FROM label_event", "replaced"),
        ("REPLACE INTO label_event (seq) VALUES (1)", "replaced"),
    ],
)
def test_an_event_is_final(db: sqlite3.Connection, statement: str, word: str) -> None:
    before = db.execute("SELECT * FROM label_event").fetchall()
    with pytest.raises(sqlite3.IntegrityError, match=f"never {word}"):
        db.execute(statement)
    assert db.execute("SELECT * FROM label_event").fetchall() == before


@pytest.mark.parametrize(
    ("rater", "value", "undoes"), [("王芳", "not json", None), ("王芳", "4", 99)]
)
def test_an_event_is_whole(
    db: sqlite3.Connection, rater: str, value: str, undoes: int | None
) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(APPEND, (rater, value, undoes))


def test_events_keep_the_order_in_which_they_came(db: sqlite3.Connection) -> None:
    db.execute(APPEND, ("li", "5", None))
    rows = db.execute("SELECT seq, rater, undoes FROM label_event ORDER BY seq").fetchall()
    assert rows == [(1, "王芳", None), (2, "王芳", 1), (3, "li", None)]
