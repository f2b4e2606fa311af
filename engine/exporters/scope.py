"""The part of a dataset that an export takes: a release or the head, filtered, with its names."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct

from store.corpora import corpora, taxonomies
from store.corpora.corpora import Corpus
from store.datasets import datasets, splits
from store.datasets.datasets import Dataset, Release
from store.datasets.splits import Placed, Split
from store.errors import InputError, NotFound
from store.history import exports
from store.history.exports import ExportItem, ItemHistory
from store.history.names import Names
from store.messages import choices
from store.records import UNASSIGNED, ItemState, Taxonomy
from store.workspace import Workspace


class Filters(Struct, frozen=True):
    """The items that pass; an empty filter lets all pass."""

    states: tuple[ItemState, ...] = ()
    topics: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    split: str = ""
    """A side, of the split that has the dataset's name, or `NAME:SIDE`."""


class Scope(Struct, frozen=True):
    """The items to export, with what surrounds them."""

    dataset: Dataset
    release: Release | None
    """Null for the head."""
    corpus: Corpus
    taxonomy: Taxonomy
    items: tuple[ExportItem, ...]
    placed: dict[str, tuple[tuple[Split, Placed], ...]]
    """The sides that items have, by item key: of every split that knows the dataset."""
    source: dict[str, str]
    """What was chosen, in words for the manifest."""
    names: Names

    def history(self, db: sqlite3.Connection) -> ItemHistory:
        """What became of the items up to the release: what came later belongs to the next."""
        ids = [item.id for item in self.items]
        return ItemHistory(db, ids, self.release.id if self.release else None)

    @property
    def documents(self) -> list[str]:
        """The documents that the items name, in order of first use."""
        return list(dict.fromkeys(one for item in self.items for one in item.content.documents))

    def counts(self) -> dict[str, int]:
        turns = sum(len(item.content.turns) for item in self.items)
        return {"items": len(self.items), "turns": turns}

    def tallies(self, workspace: Workspace) -> dict[str, Any]:
        """`by_status`, `by_rater` and `by_guideline` of the manifest."""
        raters: Counter[str] = Counter()
        guidelines: Counter[str] = Counter()
        for row in self.history(workspace.db).tallies():
            raters[self.names(row.rater)] += row.labels
            guidelines[f"{row.form} {row.guideline or '-'}"] += row.labels
        return {
            "by_status": dict(Counter(str(item.state) for item in self.items)),
            "by_rater": dict(raters),
            "by_guideline": dict(guidelines),
        }


def choose(
    workspace: Workspace,
    label: str,
    filters: Filters,
    *,
    default_states: tuple[ItemState, ...] = (ItemState.ACCEPTED,),
    anonymous: bool = False,
) -> Scope:
    """The items of release `NAME@V`, or of the head of dataset `NAME`, that pass the filters.

    A head without `filters.states` gives its items of `default_states` (empty: of every state).
    Raises NotFound for a topic or task that the taxonomy lacks, InputError when nothing is left.
    """
    db = workspace.db
    dataset = datasets.get(db, label.partition("@")[0])
    release = datasets.find_release(db, label) if "@" in label else None
    taxonomy = taxonomies.get(db, dataset.taxonomy_id)
    _check("topic", filters.topics, [topic.key for topic in taxonomy.topics])
    _check("task", filters.tasks, [task.key for task in taxonomy.tasks])
    states = filters.states or (() if release else default_states)
    items = exports.items(db, dataset, release)
    keys = {item.key for item in exports.items(db, dataset, None)}
    placed = _placed(workspace, dataset, keys)
    side = _members(workspace, dataset, filters.split) if filters.split else keys
    kept = tuple(
        item
        for item in items
        if (not states or item.state in states)
        and (not filters.topics or item.content.topic in filters.topics)
        and (not filters.tasks or item.content.task in filters.tasks)
        and item.key in side
    )
    if not kept:
        raise InputError(
            f"{label} has no item to export.",
            "Loosen the filters, or take items of every state.",
            "--state all",
        )
    source = {
        "dataset": dataset.name,
        "release": release.label if release else "head",
        "state": ",".join(states) or "all",
        "topic": ",".join(filters.topics) or "all",
        "task": ",".join(filters.tasks) or "all",
        "split": filters.split or "all",
        "raters": "pseudonyms" if anonymous else "names",
    }
    return Scope(
        dataset,
        release,
        corpora.get_by_id(db, dataset.corpus_id),
        taxonomy,
        kept,
        placed,
        source,
        Names.of(db, anonymous=anonymous),
    )


def _check(field: str, given: Sequence[str], known: Sequence[str]) -> None:
    for key in given:
        if key not in (*known, UNASSIGNED):
            raise NotFound(
                f"The dataset has no {field} {key!r}.", choices(key, (*known, UNASSIGNED), "Known")
            )


def _placed(
    workspace: Workspace, dataset: Dataset, keys: Collection[str]
) -> dict[str, tuple[tuple[Split, Placed], ...]]:
    """By item key. A split is of this dataset if it bears its name or its members are its items."""
    by_member: dict[str, list[tuple[Split, Placed]]] = {}
    for split in splits.listing(workspace.db):
        members = splits.members(workspace.db, split)
        if split.name != dataset.name and any(member.member not in keys for member in members):
            continue
        for member in members:
            by_member.setdefault(member.member, []).append((split, member))
    return {key: tuple(sides) for key, sides in by_member.items()}


def _members(workspace: Workspace, dataset: Dataset, asked: str) -> set[str]:
    name, mark, side = asked.rpartition(":")
    split = splits.get(workspace.db, name if mark else dataset.name)
    sides = [one.name for one in split.sides]
    if side not in sides:
        raise NotFound(f"Split {split.name!r} has no side {side!r}.", choices(side, sides, "Sides"))
    return {one.member for one in splits.members(workspace.db, split) if one.side == side}
