"""Items that come from a file into a dataset: all of them or none, and twice is once."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from msgspec import Struct

from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Dataset, Release
from store.errors import InputError, UsageError
from store.records import ItemContent, ItemState, Taxonomy
from store.workspace import Workspace


class NewItem(Struct, frozen=True):
    place: str
    """Where it stands, for errors: `FILE, line 12`."""
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
    """What became of the items of an import."""

    dataset: str
    added: int
    known: int
    """Items that the dataset held already, with the same first text."""
    release: Release | None
    """The version that was frozen; none when nothing new was accepted."""


def put_items(
    workspace: Workspace,
    dataset_name: str,
    corpus: Corpus,
    taxonomy: Taxonomy,
    items: Sequence[NewItem],
    *,
    author: str,
    note: str,
) -> PutItems:
    """Adds items to a dataset, made if missing, and releases it when any of the new is accepted.

    An item whose key is there with the same first text is left as it is. Raises InputError, and
    adds nothing, for one whose key is there with another text, and for a dataset on another corpus
    or taxonomy.
    """
    with workspace.write(durable=True) as db:
        dataset = _open(db, dataset_name, corpus, taxonomy)
        first = datasets.first_contents(db, dataset)
        added: list[NewItem] = []
        for item in items:
            if item.key not in first:
                first[item.key] = item.content
                added.append(item)
                _add(db, dataset, item, author)
            elif first[item.key] != item.content:
                raise InputError(
                    f"{item.place}: dataset {dataset_name!r} holds another item {item.key!r}.",
                    "Choose another --dataset NAME.",
                )
        accepted = any(item.state == ItemState.ACCEPTED for item in added)
        release = datasets.release(db, dataset, note) if accepted else None
    return PutItems(dataset_name, len(added), len(items) - len(added), release)


def check_dataset(db: sqlite3.Connection, name: str, corpus_name: str, taxonomy: Taxonomy) -> None:
    """Raises UsageError, before anything is read, for a dataset that cannot take these items."""
    if any(dataset.name == name for dataset in datasets.listing(db)):
        _check(db, datasets.get(db, name), corpus_name, taxonomy)


def _open(db: sqlite3.Connection, name: str, corpus: Corpus, taxonomy: Taxonomy) -> Dataset:
    if all(dataset.name != name for dataset in datasets.listing(db)):
        return datasets.create(db, name, corpus.id, corpora.put_taxonomy(db, taxonomy))
    dataset = datasets.get(db, name)
    _check(db, dataset, corpus.name, taxonomy)
    return dataset


def _check(db: sqlite3.Connection, dataset: Dataset, corpus_name: str, taxonomy: Taxonomy) -> None:
    corpus = corpora.get_by_id(db, dataset.corpus_id)
    if corpus.name != corpus_name:
        raise UsageError(
            f"Dataset {dataset.name!r} is about corpus {corpus.name!r}, not {corpus_name!r}.",
            "Choose another --dataset NAME.",
        )
    key = corpora.taxonomy(db, dataset.taxonomy_id).key
    if key != taxonomy.key:
        raise UsageError(
            f"Dataset {dataset.name!r} has taxonomy {key!r}, not {taxonomy.key!r}.",
            f"Give --taxonomy {key}, or choose another --dataset NAME.",
        )


def _add(db: sqlite3.Connection, dataset: Dataset, item: NewItem, author: str) -> None:
    evidence = (unit for turn in item.content.turns for unit in turn.evidence)
    first = next(evidence, None)
    datasets.add_item(
        db,
        dataset,
        item.key,
        item.group or (first.document_id if first else item.key),
        item.content,
        author=item.author or author,
        reason=item.reason,
        state=item.state,
    )
