"""The files of trained judges, kept in the workspace's file so that every backup has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from store.hashing import bytes_hash


def put(db: sqlite3.Connection, judge: str, files: Mapping[str, bytes]) -> None:
    """Keeps the files of a judge, by name, in the place of those that it had."""
    db.execute("DELETE FROM trained_file WHERE judge = ?", (judge,))
    db.executemany(
        "INSERT INTO trained_file (judge, name, content, hash) VALUES (?, ?, ?, ?)",
        [(judge, name, content, bytes_hash(content)) for name, content in files.items()],
    )


def files(db: sqlite3.Connection, judge: str) -> dict[str, bytes]:
    """Returns the files of a judge by name; empty for one that is not kept."""
    return dict(
        db.execute("SELECT name, content FROM trained_file WHERE judge = ? ORDER BY name", (judge,))
    )


def having(db: sqlite3.Connection, name: str) -> dict[str, bytes]:
    """Returns the content of the file `name` of every judge that has one."""
    rows = db.execute("SELECT judge, content FROM trained_file WHERE name = ?", (name,))
    return dict(rows)


def changed(db: sqlite3.Connection) -> list[str]:
    """Returns the files, as JUDGE/NAME, whose content is not what was put."""
    rows = db.execute("SELECT judge, name, content, hash FROM trained_file")
    return [f"{judge}/{name}" for judge, name, content, hash in rows if bytes_hash(content) != hash]
