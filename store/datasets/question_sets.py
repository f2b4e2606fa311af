"""Question sets that were imported: what judges ask answers to the items of a dataset.

A set belongs to an item and serves it as long as its golden answer stays, so that all systems are
asked the same questions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from store.hashing import content_hash


class QuestionSet(Struct, frozen=True, omit_defaults=True):
    """Questions, with the answers that a golden answer gives."""

    questions: tuple[str, ...]
    answers: tuple[str, ...]
    """One a question, but for faults of the file that they came from."""
    key_info: tuple[str, ...] = ()
    """What the questions ask for."""


class ItemSet(Struct, frozen=True):
    """The question set of an item."""

    item_id: int
    golden_id: str
    """Of the golden answer that the questions were made from: its `document_id`."""
    content: QuestionSet


def put(db: sqlite3.Connection, name: str, sets: Iterable[ItemSet]) -> None:
    """Stores sets under a name, each in the place of what its item had there."""
    db.executemany(
        "INSERT INTO question_set (name, item_id, golden_id, content) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET golden_id = excluded.golden_id, content = excluded.content",
        [
            (name, one.item_id, one.golden_id, msgspec.json.encode(one.content).decode())
            for one in sets
        ],
    )


def of_name(db: sqlite3.Connection, name: str) -> dict[str, QuestionSet]:
    """The sets of a name by the id of their golden answer; of items that share one, the first's."""
    rows = db.execute(
        "SELECT golden_id, content FROM question_set WHERE name = ? ORDER BY item_id DESC", (name,)
    )
    return {golden: msgspec.json.decode(content, type=QuestionSet) for golden, content in rows}


def hash_of(db: sqlite3.Connection, name: str) -> str | None:
    """The hash of what `of_name` gives; null where there are no sets of the name."""
    sets = of_name(db, name)
    return content_hash(sets) if sets else None


class NamedSet(Struct, frozen=True):
    """A question set with its item, as a person reads it."""

    name: str
    dataset: str
    item: str
    """Key of the item."""
    content: QuestionSet


def listing(db: sqlite3.Connection) -> list[NamedSet]:
    """All sets by name, dataset and item."""
    rows = db.execute(
        "SELECT question_set.name, dataset.name, item_key, content FROM question_set"
        " JOIN item ON item.id = item_id JOIN dataset ON dataset.id = dataset_id"
        " ORDER BY question_set.name, dataset.name, item_id"
    )
    return [
        NamedSet(name, dataset, item, msgspec.json.decode(content, type=QuestionSet))
        for name, dataset, item, content in rows
    ]


def names(db: sqlite3.Connection) -> list[str]:
    """The names of all sets, sorted."""
    return [name for (name,) in db.execute("SELECT DISTINCT name FROM question_set ORDER BY name")]
