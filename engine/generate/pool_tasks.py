"""Work of a generation in child processes: partners of documents, and drafts by rule."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from engine.corpus.source_documents import source_documents
from engine.generate.drafts import Draft
from engine.generate.partners import MOST, choose_partners, partner_query
from engine.generate.rules.drafting import draft
from engine.jobs.pool import child_workspace
from engine.retrieve import in_child
from engine.retrieve.index.base import Retriever
from store.corpora.browsing import pages_around
from store.corpora.corpora import Corpus
from store.records import Retrieval, Task, Taxonomy, Topic

PARTNERS = Retrieval("bm25")
"""How documents on the same matter are found."""
_SEARCHED = 12
"""Chunks that are looked at for partners, at least: several may be of one document."""


def partners(corpus_id: int, fingerprint: str, document_id: str, most: int) -> tuple[str, ...]:
    """Ids of the documents to set beside one, best first; see `partners_of`."""
    corpus = in_child.corpus(corpus_id)
    retriever = in_child.retriever(corpus_id, PARTNERS, fingerprint)
    return partners_of(child_workspace().db, corpus, retriever, document_id, most)


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
    documents = source_documents(db, corpus, list(dict.fromkeys(hit.document_id for hit in hits)))
    around = source_documents(db, corpus, pages_around(db, corpus, document_id))
    chosen = choose_partners(document, around, documents, most)
    return tuple(partner.document_id for partner in chosen)


class ToDraft(Struct, frozen=True):
    """A document with its partners, of which items of a task are drafted by rule."""

    corpus_id: int
    task: Task
    topic: Topic
    documents: tuple[str, ...]
    """The one whose turn it is, then its partners."""
    seed: int
    skip: int
    """Drafts of the document, best first, that were taken before."""
    most: int


def draft_items(wanted: ToDraft) -> list[Draft]:
    """The document's next best drafts."""
    document, *beside = source_documents(
        child_workspace().db,
        in_child.corpus(wanted.corpus_id),
        wanted.documents,
        wanted.topic.key,
    )
    taxonomy = Taxonomy("", "", (wanted.topic,), (wanted.task,))
    drafts = draft(
        wanted.task,
        [document],
        {document.document_id: beside},
        wanted.seed,
        taxonomy=taxonomy if wanted.topic.terms else None,
    )
    return list(drafts)[wanted.skip :][: wanted.most]
