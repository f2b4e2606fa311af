"""The items of an experiment by side: arms are chosen on train and reported on test."""

from __future__ import annotations

import sqlite3
from itertools import accumulate

from msgspec import Struct

from engine.evaluate.new_run import items_order
from store.datasets import datasets, splits
from store.datasets.datasets import Release
from store.datasets.splits import Split
from store.errors import UsageError
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

    def after(self, turns: int) -> list[ReleasedItem]:
        """The items of both sides that stand behind the first so many turns of the order."""
        of_revision = {item.revision_id: item for item in self.items}
        sided = self.order[: self.train + self.test]
        ends = accumulate(turns for _, turns in sided)
        return [
            of_revision[revision]
            for (revision, _), end in zip(sided, ends, strict=True)
            if end > turns
        ]


def check_sides(db: sqlite3.Connection, release: Release, split: Split) -> None:
    """Raises UsageError for a split without the sides train and test, or that has no item of the
    release on one of them."""
    names = {side.name for side in split.sides}
    if not {TRAIN, TEST} <= names:
        raise UsageError(
            f"Split {split.name!r} has the sides {', '.join(sorted(names))}.",
            f"Name a split with the sides {TRAIN} and {TEST}.",
        )
    sides = sides_of(db, release, split)
    if not (sides.train and sides.test):
        raise UsageError(
            f"Of {release.label}, {sides.train} items are on the train side of split"
            f" {split.name!r}, and {sides.test} on the test side.",
            "Both are needed: name another split; items whose questions are nearly the same share a"
            " side.",
            "--split",
        )


def read_sides(db: sqlite3.Connection, experiment: Experiment, seed: int) -> Sides:
    """The sides of an experiment's items."""
    release = datasets.release_by_id(db, experiment.release_id)
    split = next(one for one in splits.listing(db) if one.id == experiment.split_id)
    return sides_of(db, release, split, seed)


def sides_of(db: sqlite3.Connection, release: Release, split: Split, seed: int = 0) -> Sides:
    """The sides of a release's items as they are; an assignment never changes."""
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
