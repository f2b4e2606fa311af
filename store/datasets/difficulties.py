"""Stores how hard items are to retrieve for and to answer, by what it was measured with."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.datasets.datasets import Dataset
from store.hashing import canonical_json, content_hash
from store.records import ItemContent


class Measure(Struct, frozen=True):
    """What difficulties of a dataset's items were measured with."""

    id: int
    embedding: str
    recipe: dict[str, Any]
    """All that the figures depend on: embedding, corpus, candidates."""
    created_at: str


class TurnDifficulty(Struct, frozen=True):
    """The difficulty of a turn; all null for one without evidence that a system can find."""

    revision_id: int
    turn: int
    rd: float | None
    gd: float | None
    distance: float | None


class Unmeasured(Struct, frozen=True):
    revision_id: int
    content: ItemContent


def put_measure(
    db: sqlite3.Connection, dataset: Dataset, embedding: str, recipe: dict[str, Any]
) -> int:
    """The number of the measure with that recipe, a new one where there is none."""
    db.execute(
        "INSERT INTO difficulty_measure (dataset_id, embedding, recipe, recipe_hash, created_at)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            dataset.id,
            embedding,
            canonical_json(recipe).decode(),
            content_hash(recipe),
            now_text(),
        ),
    )
    number = find_measure(db, dataset, recipe)
    assert number is not None
    return number


def find_measure(db: sqlite3.Connection, dataset: Dataset, recipe: dict[str, Any]) -> int | None:
    """The number of the measure with that recipe, where there is one."""
    row = db.execute(
        "SELECT id FROM difficulty_measure WHERE dataset_id = ? AND recipe_hash = ?",
        (dataset.id, content_hash(recipe)),
    ).fetchone()
    return None if row is None else int(row[0])


def measures(db: sqlite3.Connection, dataset_id: int) -> list[Measure]:
    """The measures of a dataset that have difficulties, the newest of each embedding, newest
    first."""
    rows = db.execute(
        "SELECT max(id), embedding, recipe, created_at FROM difficulty_measure"
        " WHERE dataset_id = ? AND EXISTS (SELECT 1 FROM difficulty WHERE measure_id = id)"
        " GROUP BY embedding ORDER BY max(id) DESC",
        (dataset_id,),
    )
    return [
        Measure(id, embedding, msgspec.json.decode(recipe), at)
        for id, embedding, recipe, at in rows
    ]


def unmeasured(db: sqlite3.Connection, dataset: Dataset, measure_id: int) -> list[Unmeasured]:
    """The revisions without a difficulty by a measure: the heads of items that are not discarded,
    and whatever a release holds."""
    rows = db.execute(
        "SELECT revision.id, content FROM revision JOIN item ON item.id = item_id"
        " WHERE dataset_id = ?1 AND (head = revision.id AND item.state <> 'discarded'"
        "  OR EXISTS (SELECT 1 FROM release JOIN release_item ON release_id = release.id"
        "   WHERE release.dataset_id = ?1 AND release_item.item_id = item.id"
        "    AND revision_id = revision.id))"
        " AND NOT EXISTS (SELECT 1 FROM difficulty"
        "  WHERE measure_id = ?2 AND revision_id = revision.id)"
        " ORDER BY revision.id",
        (dataset.id, measure_id),
    )
    decode = msgspec.json.Decoder(ItemContent).decode
    return [Unmeasured(number, decode(text)) for number, text in rows]


def put(db: sqlite3.Connection, measure_id: int, rows: Iterable[TurnDifficulty]) -> None:
    """Stores difficulties; those that are there already stay."""
    db.executemany(
        "INSERT OR IGNORE INTO difficulty (measure_id, revision_id, turn, rd, gd, distance)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [(measure_id, row.revision_id, row.turn, row.rd, row.gd, row.distance) for row in rows],
    )


def of_measure(db: sqlite3.Connection, measure_id: int) -> dict[tuple[int, int], TurnDifficulty]:
    """The difficulties by a measure, by revision and turn."""
    rows = db.execute(
        "SELECT revision_id, turn, rd, gd, distance FROM difficulty WHERE measure_id = ?",
        (measure_id,),
    )
    return {(row[0], row[1]): TurnDifficulty(*row) for row in rows}


class MeasuredTurn(Struct, frozen=True):
    """A turn of a dataset's item as it is now, with its difficulty."""

    item_key: str
    task: str
    content: ItemContent
    difficulty: TurnDifficulty


def of_heads(db: sqlite3.Connection, measure_id: int) -> list[MeasuredTurn]:
    """The difficulties by a measure of the items as they are now, in the order of the items."""
    rows = db.execute(
        "SELECT item_key, task, content, difficulty.revision_id, turn, rd, gd, distance"
        " FROM difficulty JOIN item ON head = difficulty.revision_id"
        " JOIN revision ON revision.id = head WHERE measure_id = ? ORDER BY item.id, turn",
        (measure_id,),
    )
    decode = msgspec.json.Decoder(ItemContent).decode
    return [
        MeasuredTurn(key, task, decode(content), TurnDifficulty(*rest))
        for key, task, content, *rest in rows
    ]
