"""The items of the datasets on a corpus that name an entity."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from engine.graph.linking import Occurrences
from store.corpora.corpora import Corpus
from store.datasets import datasets


class NamingItem(Struct, frozen=True):
    dataset: str
    item_key: str
    question: str


def naming_items(
    db: sqlite3.Connection, corpus: Corpus, aliases: tuple[str, ...]
) -> list[NamingItem]:
    """Items whose questions or golden answers hold any alias, by dataset, in their order."""
    occurrences = Occurrences(dict.fromkeys(aliases, 0))
    return [
        NamingItem(dataset.name, key, content.turns[0].question)
        for dataset in datasets.listing(db)
        if dataset.corpus_id == corpus.id
        for key, content in datasets.head_contents(db, dataset).items()
        if occurrences.of(
            "\n".join(
                text for turn in content.turns for text in (turn.question, *turn.golden_answers)
            )
        )
    ]
