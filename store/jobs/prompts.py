"""The texts of prompts, each once, by the hash that attempts and verdicts carry."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from store.errors import NotFound
from store.records import Lang


class PromptRow(Struct, frozen=True):
    """A prompt with the files that it takes in, its slots open."""

    hash: str
    id: str
    lang: Lang
    text: str


def put(db: sqlite3.Connection, prompt: PromptRow) -> None:
    """Stores the text unless it is there already."""
    db.execute(
        "INSERT INTO prompt (hash, id, lang, text) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (prompt.hash, prompt.id, prompt.lang, prompt.text),
    )


def get(db: sqlite3.Connection, digest: str) -> PromptRow:
    """The text of that hash. Raises NotFound."""
    row = db.execute("SELECT hash, id, lang, text FROM prompt WHERE hash = ?", (digest,)).fetchone()
    if row is None:
        raise NotFound(f"There is no prompt with the hash {digest!r}.")
    return PromptRow(*row)
