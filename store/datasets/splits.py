"""Stores splits: the side of each member, which is never changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.errors import Conflict, InputError, UsageError
from store.hashing import canonical_json
from store.messages import check_printable, no_such


class Side(Struct, frozen=True):
    """A side and its share; shares are relative: 30 and 70, or 5, 1 and 4."""

    name: str
    share: float


class Split(Struct, frozen=True):
    id: int
    name: str
    sides: tuple[Side, ...]
    seed: int
    created_at: str


class Placed(Struct, frozen=True):
    """A member with its group and side. `side` is null for a member that belongs to groups of
    different sides: it is left out, for the reason given."""

    member: str
    group: str
    stratum: str
    side: str | None
    reason: str = ""


def create(db: sqlite3.Connection, name: str, sides: Sequence[Side], seed: int) -> Split:
    """Creates a split without members. Raises UsageError for a taken name or impossible sides."""
    names = [side.name for side in sides]
    for named in (name, *names):
        check_printable("split or a side", named)
    if len(sides) < 2 or len(set(names)) < len(names) or any(side.share <= 0 for side in sides):
        raise UsageError(
            "A split needs two or more sides of different names, each with a share above 0."
        )
    try:
        db.execute(
            "INSERT INTO split (name, sides, seed, created_at) VALUES (?, ?, ?, ?)",
            (name, canonical_json(sides).decode(), seed, now_text()),
        )
    except sqlite3.IntegrityError as error:
        raise UsageError(f"Split {name!r} exists already.", "Choose another name.") from error
    return get(db, name)


_SPLIT = "SELECT id, name, sides, seed, created_at FROM split"


def get(db: sqlite3.Connection, name: str) -> Split:
    row = db.execute(_SPLIT + " WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise no_such("split", name, (split.name for split in listing(db)), "Splits here")
    return _split(row)


def listing(db: sqlite3.Connection) -> list[Split]:
    return [_split(row) for row in db.execute(_SPLIT + " ORDER BY id")]


def members(db: sqlite3.Connection, split: Split) -> list[Placed]:
    """All members by name, including those left out."""
    rows = db.execute(
        "SELECT member, split_group, stratum, side, reason FROM split_member WHERE split_id = ?"
        " ORDER BY member",
        (split.id,),
    )
    return [Placed(*row) for row in rows]


def add(db: sqlite3.Connection, split: Split, placed: Iterable[Placed]) -> None:
    """Stores assignments. Raises Conflict for a member that already has one: it never changes."""
    known = {side.name for side in split.sides}
    for assignment in placed:
        if assignment.side is not None and assignment.side not in known:
            raise InputError(f"Split {split.name!r} has no side {assignment.side!r}.")
        try:
            db.execute(
                "INSERT INTO split_member (split_id, member, split_group, stratum, side, reason,"
                " at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    split.id,
                    assignment.member,
                    assignment.group,
                    assignment.stratum,
                    assignment.side,
                    assignment.reason,
                    now_text(),
                ),
            )
        except sqlite3.IntegrityError as error:
            raise Conflict(
                f"{assignment.member!r} has its side in split {split.name!r} already.",
                "An assignment never changes.",
            ) from error


def _split(row: tuple[Any, ...]) -> Split:
    id, name, sides, seed, created_at = row
    return Split(id, name, msgspec.json.decode(sides, type=tuple[Side, ...]), seed, created_at)
