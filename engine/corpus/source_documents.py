"""Documents of a corpus as generation reads them, and the partners of one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from engine.generate.partners import MOST, choose_partners, partner_query
from engine.generate.records import SourceDocument
from engine.retrieve.index.base import Retriever
from store.corpora import corpora
from store.corpora.browsing import pages_around
from store.corpora.corpora import Corpus
from store.errors import NotFound
from store.records import UNASSIGNED, Lang

_SEARCHED = 12
"""Chunks that are looked at for partners, at least: several may be of one document."""


def source_documents(
    db: sqlite3.Connection, corpus: Corpus, document_ids: Sequence[str], topic: str = UNASSIGNED
) -> list[SourceDocument]:
    """The documents in the order asked for, with `topic`. Raises NotFound for one that is gone."""
    found = corpora.documents_by_id(db, corpus, document_ids)
    missing = [name for name in document_ids if name not in found]
    if missing:
        raise NotFound(f"There is no document {missing[0]!r}.")
    return [
        SourceDocument(
            name, found[name].title, found[name].text, _lang(found[name].lang), topic,
            found[name].path,
        )
        for name in document_ids
    ]  # fmt: skip


def partners_of(
    db: sqlite3.Connection,
    corpus: Corpus,
    retriever: Retriever,
    document_id: str,
    most: int = MOST,
) -> tuple[str, ...]:
    """Ids of at most `most` documents to set beside one: pages around it, and what search finds."""
    (document,) = source_documents(db, corpus, [document_id])
    hits = retriever.search([partner_query(document)], max(_SEARCHED, 2 * most))[0]
    found = source_documents(db, corpus, list(dict.fromkeys(hit.document_id for hit in hits)))
    around = source_documents(db, corpus, pages_around(db, corpus, document_id))
    chosen = choose_partners(document, around, found, most)
    return tuple(partner.document_id for partner in chosen)


def _lang(text: str) -> Lang:
    return "zh" if text == "zh" else "en"
