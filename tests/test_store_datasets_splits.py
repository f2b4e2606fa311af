"""Stored splits: an assignment to a side is for ever."""

from __future__ import annotations

import sqlite3

import pytest

from store.datasets import splits
from store.datasets.splits import Placed, Side
from store.errors import Conflict, InputError, NotFound, UsageError
from store.workspace import Workspace

SIDES = (Side("train", 3), Side("test", 7))


def test_members_are_kept_with_group_side_and_reason(workspace: Workspace):
    placed = [
        Placed("题1", "g", "s", "train"),
        Placed("题2", "g", "s", None, "belongs to two sides"),
    ]
    with workspace.write() as db:
        split = splits.create(db, "main", SIDES, seed=7)
        splits.add(db, split, placed)
    assert splits.members(workspace.db, split) == placed
    assert splits.get(workspace.db, "main") == split
    assert splits.listing(workspace.db) == [split]
    assert (split.sides, split.seed) == (SIDES, 7)


def test_an_assignment_never_changes(workspace: Workspace):
    with workspace.write() as db:
        split = splits.create(db, "main", SIDES, seed=7)
        splits.add(db, split, [Placed("a", "g", "s", "train")])
    with pytest.raises(Conflict, match="never changes"), workspace.write() as db:
        splits.add(db, split, [Placed("b", "h", "s", "test"), Placed("a", "g", "s", "test")])
    with pytest.raises(sqlite3.IntegrityError, match="never changed"):
        workspace.db.execute("UPDATE split_member SET side = 'test'")
    assert splits.members(workspace.db, split) == [Placed("a", "g", "s", "train")]


@pytest.mark.parametrize(
    "sides",
    [(), (Side("a", 1),), (Side("a", 1), Side("a", 1)), (Side("a", 1), Side("b", 0))],
)
def test_what_is_no_division_is_refused(workspace: Workspace, sides):
    with pytest.raises(UsageError, match="two or more sides"), workspace.write() as db:
        splits.create(db, "main", sides, seed=0)


def test_unknown_sides_and_names_are_refused(workspace: Workspace):
    with workspace.write() as db:
        split = splits.create(db, "main", SIDES, seed=0)
        with pytest.raises(InputError, match="no side 'dev'"):
            splits.add(db, split, [Placed("a", "g", "s", "dev")])
        with pytest.raises(UsageError, match="exists already"):
            splits.create(db, "main", SIDES, seed=0)
        with pytest.raises(NotFound, match="Splits here: main"):
            splits.get(db, "judge")
