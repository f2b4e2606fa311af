"""The names of people in an export: their own, or pseudonyms that stay the same.

Models and rules keep their names: what wrote an item is a fact about it, not about a person.
"""

from __future__ import annotations

import sqlite3
from pathlib import PurePath

from msgspec import Struct

from store.history import exports


class Names(Struct, frozen=True):
    """Names for people: `rater-1` labelled first, `author-1` is the first other writer."""

    known: dict[str, str]

    @property
    def are_hidden(self) -> bool:
        return bool(self.known)

    @classmethod
    def of(cls, db: sqlite3.Connection, *, anonymous: bool) -> Names:
        if not anonymous:
            return cls({})
        raters = exports.raters(db)
        machines = exports.machines(db)
        others = [name for name in exports.authors(db) if name not in {*raters, *machines}]
        return cls(
            {
                **{name: f"rater-{at}" for at, name in enumerate(raters, 1)},
                **{name: f"author-{at}" for at, name in enumerate(others, 1)},
            }
        )

    def path(self, path: str) -> str:
        """A file's path without its upper folders, which often hold somebody's name."""
        return "/".join(PurePath(path).parts[-2:]) if self.are_hidden else path

    def __call__(self, name: str) -> str:
        return self.known.get(name, name)
