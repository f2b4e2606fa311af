"""Which versions of judges a side of a split was asked about, once each, and what it said."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from store.clock import now_text
from store.hashing import canonical_json


class SideReading(Struct, frozen=True):
    judge_id: int
    judge: str
    figures: bytes
    """JSON."""
    read_at: str


def add(db: sqlite3.Connection, judge_id: int, split_id: int, side: str, figures: Struct) -> None:
    """Stores a reading; raises sqlite3.IntegrityError where there is one."""
    db.execute(
        "INSERT INTO side_reading (judge_id, split_id, side, figures, read_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (judge_id, split_id, side, canonical_json(figures).decode(), now_text()),
    )


def of_side(db: sqlite3.Connection, split_id: int, side: str) -> list[SideReading]:
    """All readings of a side, oldest first."""
    rows = db.execute(
        "SELECT judge_id, judge.name, figures, read_at FROM side_reading"
        " JOIN judge ON judge.id = judge_id WHERE split_id = ? AND side = ? ORDER BY"
        " side_reading.id",
        (split_id, side),
    )
    return [SideReading(id, name, figures.encode(), at) for id, name, figures, at in rows]
