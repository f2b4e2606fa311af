"""The texts that raters made of an item, read to be compared."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from store.datasets import datasets
from store.labels.consensus import Settled
from store.records import ItemContent
from tui.correction.revision_diff import DiffBase, Name, names


class Versions(NamedTuple):
    raters: tuple[str, ...]
    before: ItemContent
    """The text that was shown to them."""
    texts: tuple[ItemContent, ...]
    """What each rater made of it."""
    name: Name
    """What topics, tasks and documents are called."""

    def bases(self) -> list[DiffBase]:
        """What the last rater's version can be compared with."""
        last = self.raters[-1]
        return [
            DiffBase(f"{last}'s version against {rater}'s", text)
            for rater, text in zip(self.raters[:-1], self.texts[:-1], strict=True)
        ]


def read_versions(db: sqlite3.Connection, conflict: Settled) -> Versions:
    """The versions of a conflict over a text."""
    revisions = [int(str(given.value)) for given in conflict.raters]
    before = datasets.content(db, conflict.subject.numbers[0])
    texts = tuple(datasets.content(db, one) for one in revisions)
    name = names(db, revisions[0], [before, *texts])
    return Versions(tuple(given.rater for given in conflict.raters), before, texts, name)
