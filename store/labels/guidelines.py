"""Guidelines: the instructions of a form, in versions that are never changed."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from store.clock import now_text
from store.errors import InputError, NotFound


class Guideline(Struct, frozen=True):
    form_key: str
    version: int
    text: str
    author: str
    at: str


_GUIDELINE = "SELECT form_key, version, text, author, at FROM guideline WHERE form_key = ?"


def put(db: sqlite3.Connection, form_key: str, text: str, author: str) -> Guideline:
    """The next version of a form's guideline; the current one when the text is the same."""
    if not text.strip():
        raise InputError(f"The guideline of {form_key!r} is empty.", "Write what raters need.")
    last = current(db, form_key)
    if last is not None and last.text == text:
        return last
    version = last.version + 1 if last is not None else 1
    made = Guideline(form_key, version, text, author, now_text())
    db.execute(
        "INSERT INTO guideline (form_key, version, text, author, at) VALUES (?, ?, ?, ?, ?)",
        (form_key, version, text, author, made.at),
    )
    return made


def current(db: sqlite3.Connection, form_key: str) -> Guideline | None:
    """The version in force; none when nobody has written one."""
    row = db.execute(_GUIDELINE + " ORDER BY version DESC LIMIT 1", (form_key,)).fetchone()
    return None if row is None else Guideline(*row)


def current_version(db: sqlite3.Connection, form_key: str) -> str:
    """The version that events carry; empty without a guideline."""
    (version,) = db.execute(
        "SELECT max(version) FROM guideline WHERE form_key = ?", (form_key,)
    ).fetchone()
    return "" if version is None else str(version)


def get(db: sqlite3.Connection, form_key: str, version: int) -> Guideline:
    row = db.execute(_GUIDELINE + " AND version = ?", (form_key, version)).fetchone()
    if row is None:
        raise NotFound(
            f"The guideline of {form_key!r} has no version {version}.",
            f"It has {current_version(db, form_key) or 'none'}.",
        )
    return Guideline(*row)


def versions(db: sqlite3.Connection, form_key: str) -> list[Guideline]:
    """All versions, oldest first."""
    rows = db.execute(_GUIDELINE + " ORDER BY version", (form_key,))
    return [Guideline(*row) for row in rows]
