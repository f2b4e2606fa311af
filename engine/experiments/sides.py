"""The items of an experiment by side: arms are chosen on train and reported on test."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from engine.evaluate.new_run import items_order
from store.datasets import datasets, splits
from store.datasets.datasets import Release
from store.datasets.splits import Split
from store.records import ReleasedItem
from store.runs.experiments import Experiment

TRAIN, TEST = "train", "test"


class Sides(Struct, frozen=True):
    """The items of a release by side, in the order in which runs of the experiment work them."""

    release: Release
    side_of: dict[str, str]
    """By item key; an item that is left out of the split has none."""
    order: tuple[tuple[int, int], ...]
    """(revision, turns): those of train, those of test, then what has no side."""
    train: int
    """Items."""
    test: int
    items: tuple[ReleasedItem, ...] = ()

    def until(self, count: int) -> int:
        """The ordinal at which the first `count` items of the order end."""
        return sum(turns for _, turns in self.order[:count])


def count_sides(db: sqlite3.Connection, release: Release, split: Split) -> tuple[int, int]:
    """The number of a release's items on the train side and on the test side."""
    side_of = {one.member: one.side for one in splits.members(db, split)}
    sides = [side_of.get(item.item_key) for item in datasets.released_items(db, release.id)]
    return sides.count(TRAIN), sides.count(TEST)


def read_sides(db: sqlite3.Connection, experiment: Experiment, seed: int) -> Sides:
    """The sides as they are; an assignment never changes."""
    release = datasets.release_by_id(db, experiment.release_id)
    split = next(one for one in splits.listing(db) if one.id == experiment.split_id)
    side_of = {
        member.member: member.side
        for member in splits.members(db, split)
        if member.side is not None
    }
    items = tuple(datasets.released_items(db, release.id))
    train = [item for item in items if side_of.get(item.item_key) == TRAIN]
    test = [item for item in items if side_of.get(item.item_key) == TEST]
    rest = [item for item in items if side_of.get(item.item_key) not in (TRAIN, TEST)]
    order = [turn for part in (train, test, rest) for turn in items_order(part, seed)]
    return Sides(release, side_of, tuple(order), len(train), len(test), items)
