"""What the child processes compute for a generation: partners of documents, drafts by rule."""

from __future__ import annotations

from msgspec import Struct

from engine.corpus.source_documents import partners_of, source_documents
from engine.evaluate import pool_tasks
from engine.generate.records import Draft
from engine.generate.rules.drafting import draft
from store.records import Retrieval, Task, Taxonomy, Topic

PARTNERS = Retrieval("bm25")
"""How documents on the same matter are found."""


def partners(corpus_id: int, fingerprint: str, document_id: str, most: int) -> tuple[str, ...]:
    """Ids of the documents to set beside one, best first; see `engine.generate.partners`."""
    retriever = pool_tasks._retriever(corpus_id, PARTNERS, fingerprint, [])
    db = pool_tasks._opened().workspace.db
    return partners_of(db, pool_tasks._corpus(corpus_id), retriever, document_id, most)


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
        pool_tasks._opened().workspace.db,
        pool_tasks._corpus(wanted.corpus_id),
        wanted.documents,
        wanted.topic.key,
    )
    taxonomy = Taxonomy("", "", (wanted.topic,), (wanted.task,))
    found = draft(
        wanted.task,
        [document],
        {document.document_id: beside},
        wanted.seed,
        taxonomy=taxonomy if wanted.topic.terms else None,
    )
    return list(found)[wanted.skip :][: wanted.most]
