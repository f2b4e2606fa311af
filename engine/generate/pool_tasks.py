"""Work of a generation in child processes: partners and related reports, and drafts by rule."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from engine.corpus.source_documents import source_documents
from engine.generate.drafts import Draft
from engine.generate.partners import MOST, choose_partners, partner_query
from engine.generate.related import MOST_WORDS, SEARCHED, Related, Sought, choose_reports
from engine.generate.rules.drafting import draft
from engine.graph.entity_graph import partners_by_entity
from engine.jobs.pool import child_workspace
from engine.retrieve import in_child
from engine.retrieve.hidden import HiddenDocuments, search_visible
from engine.retrieve.index.base import Retriever
from engine.retrieve.index.bm25 import Bm25
from store.corpora.browsing import pages_around
from store.corpora.corpora import Corpus
from store.records import Task, Taxonomy, Topic
from store.systems import Retrieval

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
    """Ids of at most `most` documents to set beside one: pages around it, what shares entities with
    it where the corpus has an entity graph, and what search finds."""
    (document,) = source_documents(db, corpus, [document_id])
    hits = retriever.search([partner_query(document)], max(_SEARCHED, 2 * most))[0]
    found = (
        pages_around(db, corpus, document_id),
        partners_by_entity(db, corpus, document_id, 2 * most),
        list(dict.fromkeys(hit.document_id for hit in hits)),
    )
    documents = (source_documents(db, corpus, names) for names in found)
    chosen = choose_partners(document, *documents, most=most)
    return tuple(partner.document_id for partner in chosen)


def related(corpus_id: int, fingerprint: str, retrieval: Retrieval, wanted: Sought) -> Related:
    """The other reports for a golden text, chosen by `retrieval`; see `related_reports`."""
    return related_reports(
        child_workspace().db,
        in_child.corpus(corpus_id),
        in_child.retriever(corpus_id, retrieval, fingerprint),
        in_child.retriever(corpus_id, PARTNERS, fingerprint),
        wanted,
    )


def related_reports(
    db: sqlite3.Connection,
    corpus: Corpus,
    retriever: Retriever,
    weighing: Retriever,
    wanted: Sought,
) -> Related:
    """The reports of the sources' language that `retriever` brings up for the texts and that hold
    enough of the golden text; the words of that are weighed by the index of words `weighing`."""
    assert isinstance(weighing, Bm25), "words are weighed by an index of words"
    words = weighing.key_terms(wanted.golden, MOST_WORDS)
    hidden = HiddenDocuments(db, corpus, wanted.sources)
    hits = search_visible(retriever, wanted.texts, SEARCHED, hidden).hits
    (source,) = source_documents(db, corpus, wanted.sources[:1])
    names = list(dict.fromkeys(hit.document_id for hit in hits))
    retrieved = [
        document for document in source_documents(db, corpus, names) if document.lang == source.lang
    ]
    return Related(retriever.name, words, choose_reports(words, retrieved))


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
