"""The texts of prompts, each stored once, by the hash that attempts and verdicts refer to."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from store.errors import NotFound
from store.records import Lang


class PromptRow(Struct, frozen=True):
    """A prompt with the files that it includes, its slots not filled."""

    hash: str
    id: str
    lang: Lang
    text: str


def put(db: sqlite3.Connection, prompt: PromptRow) -> None:
    """Stores the text unless it is already stored."""
    db.execute(
        "INSERT INTO prompt (hash, id, lang, text) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (prompt.hash, prompt.id, prompt.lang, prompt.text),
    )


def get(db: sqlite3.Connection, digest: str) -> PromptRow:
    """The text with that hash. Raises NotFound."""
    row = db.execute("SELECT hash, id, lang, text FROM prompt WHERE hash = ?", (digest,)).fetchone()
    if row is None:
        raise NotFound(f"There is no prompt with the hash {digest!r}.")
    return PromptRow(*row)
