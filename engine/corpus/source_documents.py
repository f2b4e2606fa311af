"""Reads documents of a corpus from the store in the form that rules and models read."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from engine.corpus.document import SourceDocument
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.errors import NotFound
from store.records import UNASSIGNED, Lang


def source_documents(
    db: sqlite3.Connection, corpus: Corpus, document_ids: Sequence[str], topic: str = UNASSIGNED
) -> list[SourceDocument]:
    """The documents in the order asked for, with `topic`. Raises NotFound for a missing one."""
    documents = corpora.documents_by_id(db, corpus, document_ids)
    missing = [name for name in document_ids if name not in documents]
    if missing:
        raise NotFound(f"There is no document {missing[0]!r}.")
    return [
        SourceDocument(
            name, documents[name].title, documents[name].text, _lang(documents[name].lang), topic,
            documents[name].path,
        )
        for name in document_ids
    ]  # fmt: skip


def _lang(text: str) -> Lang:
    return "zh" if text == "zh" else "en"
