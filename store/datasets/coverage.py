"""The number of items in each cell of a dataset, and a check for changes of it."""

from __future__ import annotations

import sqlite3

import msgspec

from store.lifecycle import archiving


class CellCount(msgspec.Struct, frozen=True):
    topic: str
    task: str
    items: int
    chinese: int
    """The number of Chinese items."""


def released_cells(db: sqlite3.Connection, release_id: int) -> tuple[CellCount, ...]:
    """Items of a release by topic and task, in no particular order."""
    rows = db.execute(
        "SELECT topic, task, items, chinese FROM release_cell WHERE release_id = ?"
        " ORDER BY topic, task",
        (release_id,),
    )
    return tuple(CellCount(*row) for row in rows)


def held_cells(db: sqlite3.Connection, dataset_id: int) -> tuple[CellCount, ...]:
    """Items that a dataset holds now, without discarded ones, by topic and task."""
    rows = db.execute(
        "SELECT topic, task, count(*), count(*) FILTER (WHERE lang = 'zh') FROM item"
        " JOIN revision ON revision.id = head WHERE dataset_id = ? AND state <> 'discarded'"
        " GROUP BY topic, task ORDER BY topic, task",
        (dataset_id,),
    )
    return tuple(CellCount(*row) for row in rows)


def signature(db: sqlite3.Connection) -> tuple[int, ...]:
    """A value that changes when datasets, their items or their releases change."""
    row = db.execute(
        f"SELECT (SELECT count(*) FROM dataset WHERE {archiving.DATASET_SHOWN}),"
        f" (SELECT coalesce(sum(id), 0) FROM dataset WHERE {archiving.DATASET_SHOWN}),"
        " (SELECT coalesce(max(id), 0) FROM release), (SELECT coalesce(max(id), 0) FROM revision),"
        " (SELECT count(*) FROM item WHERE state = 'discarded')"
    ).fetchone()
    return tuple(row)
