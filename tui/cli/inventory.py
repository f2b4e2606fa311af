"""Commands that list what the workspace holds: corpora, datasets."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Sequence

from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Dataset
from store.lifecycle import archiving
from store.lifecycle.archiving import Kind
from store.workspace import open_workspace
from tui.cli.output import print_json, print_table, say


def list_corpora(arguments: argparse.Namespace) -> int:
    with open_workspace(arguments.workspace) as workspace:
        db = workspace.db
        found = [_corpus(db, one) for one in corpora.listing(db, archived=arguments.all)]
    return _show(
        arguments,
        "corpora",
        found,
        "No corpus yet. Make one: ragdesk ingest PATH --corpus NAME",
        ("name", "documents", "chunks", "tokens"),
    )


def list_datasets(arguments: argparse.Namespace) -> int:
    with open_workspace(arguments.workspace) as workspace:
        db = workspace.db
        found = [_dataset(db, one) for one in datasets.listing(db, archived=arguments.all)]
    return _show(
        arguments,
        "datasets",
        found,
        "No dataset yet. Make one: ragdesk generate, or ragdesk import",
        ("name", "corpus", "taxonomy", "items", "accepted", "releases"),
    )


def is_archived(db: sqlite3.Connection, kind: Kind, number: int) -> bool:
    """Whether lists leave it out."""
    return archiving.hidden_by(db, kind, number) is not None


def _corpus(db: sqlite3.Connection, corpus: Corpus) -> dict[str, object]:
    counts = corpora.counts(db, corpus)
    return {
        "name": corpus.name,
        "documents": counts.documents,
        "chunks": counts.chunks,
        "tokens": counts.tokens,
        "archived": is_archived(db, "corpus", corpus.id),
    }


def _dataset(db: sqlite3.Connection, dataset: Dataset) -> dict[str, object]:
    states = datasets.state_counts(db, dataset)
    return {
        "name": dataset.name,
        "corpus": corpora.get_by_id(db, dataset.corpus_id).name,
        "taxonomy": corpora.taxonomy(db, dataset.taxonomy_id).key,
        "items": sum(states.values()),
        "accepted": states.get("accepted", 0),
        "releases": len(datasets.releases(db, dataset)),
        "archived": is_archived(db, "dataset", dataset.id),
    }


def _show(
    arguments: argparse.Namespace,
    plural: str,
    found: Sequence[dict[str, object]],
    none_yet: str,
    columns: Sequence[str],
) -> int:
    if arguments.json:
        print_json({plural: found})
        return 0
    if not found:
        say(none_yet)
        return 0
    extra = ("archived",) if arguments.all else ()
    print_table(
        (*columns, *extra), [[_cell(one[column]) for column in (*columns, *extra)] for one in found]
    )
    return 0


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "archived" if value else ""
    return f"{value:,}" if isinstance(value, int) else str(value)
