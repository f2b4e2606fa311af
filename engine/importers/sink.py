"""The one writer of foreign items: all items of an import enter its dataset, or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from engine.taxonomy.shapes import shape_faults
from store.corpora import taxonomies
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Dataset, Release
from store.errors import InputError, UsageError
from store.records import UNASSIGNED, ItemContent, ItemState, Task, Taxonomy, Topic
from store.workspace import Workspace

_TO_BE_CHANGED = (ItemState.NEEDS_CORRECTION, ItemState.DISCARDED)
"""States of items that are used only when a person has changed them."""


class NewItem(Struct, frozen=True):
    place: str
    """File and line for error messages: `FILE, line 12`."""
    key: str
    content: ItemContent
    reason: str
    """`imported from FILE`."""
    state: ItemState = ItemState.ACCEPTED
    group: str = ""
    """Empty for the first document of its evidence, or the key where it has none."""
    author: str = ""
    """Who wrote it; empty for whoever imports it."""


class PutItems(Struct, frozen=True):
    """The outcome of an import of items."""

    dataset: str
    added: int
    known: int
    """Items that the dataset held already, with the same first text."""
    release: Release | None
    """The version that was frozen; none when nothing new was accepted."""


class ItemSink(Struct, frozen=True):
    """The dataset that foreign items go into, and who imports them."""

    workspace: Workspace
    dataset: str
    taxonomy: Taxonomy
    author: str

    def check_new(self, remedy: str = "") -> None:
        """Raises UsageError, before anything is read, when `create` could not make the dataset.

        `remedy` replaces the advice to choose another name.
        """
        try:
            datasets.check_new_name(self.workspace.db, self.dataset)
        except UsageError as error:
            raise UsageError(error.message, remedy or error.remedy) from None

    def check_open(self, corpus_name: str) -> None:
        """Raises UsageError, before anything is read, for a dataset that `add` could not use."""
        datasets.for_items(self.workspace.db, self.dataset, corpus_name, self.taxonomy.key)

    def create(
        self, db: sqlite3.Connection, corpus: Corpus, items: Iterable[NewItem], note: str
    ) -> Release:
        """Makes the dataset with these items and releases version 1.

        Raises Conflict for a second item of one key, and InputError when none is accepted and for
        one that has not the shape of its task.
        """
        dataset = self._make(db, corpus)
        for item in items:
            self._put(db, dataset, item)
        return datasets.release(db, dataset, note)

    def add(self, corpus: Corpus, items: Sequence[NewItem], note: str) -> PutItems:
        """Adds items to the dataset, made if missing, and releases it when any new is accepted.

        An item whose key is there with the same first text is left as it is, whatever it hides.
        Raises InputError, and adds nothing, for one whose key is there with another text and one
        that has not the shape of its task, and UsageError for a dataset on another corpus or
        taxonomy.
        """
        with self.workspace.write(durable=True) as db:
            held = datasets.for_items(db, self.dataset, corpus.name, self.taxonomy.key)
            dataset = held or self._make(db, corpus)
            first = datasets.first_contents(db, dataset)
            added: list[NewItem] = []
            for item in items:
                if item.key not in first:
                    first[item.key] = item.content
                    added.append(item)
                    self._put(db, dataset, item)
                elif not _says_the_same(first[item.key], item.content):
                    raise InputError(
                        f"{item.place}: dataset {self.dataset!r} holds another item {item.key!r}.",
                        "Choose another name for the dataset.",
                    )
            accepted = any(item.state == ItemState.ACCEPTED for item in added)
            release = datasets.release(db, dataset, note) if accepted else None
        return PutItems(self.dataset, len(added), len(items) - len(added), release)

    def _make(self, db: sqlite3.Connection, corpus: Corpus) -> Dataset:
        return datasets.create(db, self.dataset, corpus.id, taxonomies.put(db, self.taxonomy))

    def fitted(self, items: Iterable[NewItem], misfits: list[str]) -> list[NewItem]:
        """The items, each without its task where it has not the shape of it; `misfits` gets the
        reasons. For files that nobody can mend item by item, such as published ones."""
        out = []
        for item in items:
            if fault := misshapen(self.taxonomy, item.content):
                misfits.append(f"{item.place}: no item of task {item.content.task!r}: {fault}")
                item = replace(item, content=replace(item.content, task=UNASSIGNED))
            out.append(item)
        return out

    def _put(self, db: sqlite3.Connection, dataset: Dataset, item: NewItem) -> None:
        fault = misshapen(self.taxonomy, item.content)
        if fault and item.state not in _TO_BE_CHANGED:
            raise InputError(
                f"{item.place}: {item.key!r} is no item of task {item.content.task!r}: {fault}.",
                "Mend it, or give it another task, or none.",
            )
        evidence = (unit for turn in item.content.turns for unit in turn.evidence)
        first = next(evidence, None)
        datasets.add_item(
            db,
            dataset,
            item.key,
            item.group or (first.document_id if first else item.key),
            item.content,
            author=item.author or self.author,
            reason=item.reason,
            state=item.state,
        )


def misshapen(taxonomy: Taxonomy, content: ItemContent) -> str:
    """What is wrong with the shape of an item of its task; empty when nothing is.

    Files of others may say nothing of where an answer stands, and so may an item here.
    """
    task = next((task for task in taxonomy.tasks if task.key == content.task), None)
    faults = shape_faults(content, task, may_lack=True) if task is not None else ()
    return "; ".join(fault.en for fault in faults)


def _says_the_same(held: ItemContent, given: ItemContent) -> bool:
    """Whether an item is held already, whatever it hides, and whether or not it has a task now."""
    task = held.task if given.task == UNASSIGNED else given.task
    return held == replace(given, hidden=held.hidden, task=task)


def import_onto(dataset: str) -> str:
    """The advice where a run is imported with a dataset that turns out to be there."""
    return f"Import onto {dataset}@1, naming no corpus, or name another dataset."


def check_cell(place: str, taxonomy: Taxonomy, topic: str, task: str) -> None:
    """Raises InputError for a topic or task key that the taxonomy lacks; `unassigned` is legal."""
    fields: tuple[tuple[str, str, Collection[Topic | Task]], ...] = (
        ("topic", topic, taxonomy.topics),
        ("task", task, taxonomy.tasks),
    )
    for field, key, members in fields:
        legal = {UNASSIGNED, *(member.key for member in members)}
        if key not in legal:
            raise InputError(
                f"{place}: field `{field}`: taxonomy {taxonomy.key!r} has no {key!r}.",
                f"Known: {', '.join(sorted(legal))}. Or name another taxonomy.",
                "--taxonomy NAME",
            )
