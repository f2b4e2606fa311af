"""What the child processes compute for a generation: partners of documents, drafts by rule."""

from __future__ import annotations

from msgspec import Struct

from engine.generate.offline.drafting import draft
from engine.generate.records import Draft
from engine.jobs import cpu
from engine.jobs.source_documents import partners_of, source_documents
from store.records import Retrieval, Task, Taxonomy, Topic

PARTNERS = Retrieval("bm25")
"""How documents on the same matter are found."""


def partners(corpus_id: int, fingerprint: str, document_id: str, most: int) -> tuple[str, ...]:
    """Ids of the documents to set beside one, best first; see `engine.generate.partners`."""
    retriever = cpu._retriever(corpus_id, PARTNERS, fingerprint, [])
    db = cpu._opened().workspace.db
    return partners_of(db, cpu._corpus(corpus_id), retriever, document_id, most)


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
        cpu._opened().workspace.db,
        cpu._corpus(wanted.corpus_id),
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
