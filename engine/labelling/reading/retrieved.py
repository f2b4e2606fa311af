"""The texts that were retrieved for an answer, as whoever judges the answer is shown them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from msgspec import Struct

from engine.corpus.naming import heading, known_as
from engine.metrics.evidence import credit
from store.corpora import corpora
from store.corpora.corpora import LiveDocument
from store.runs.details import PredictionDetail

GONE = "its document is gone"


class RetrievedText(Struct, frozen=True):
    """One retrieved passage, without what would tell which retriever found it."""

    document_id: str
    title: str
    """The document's own."""
    name: str
    """The title with what the document is known by; `GONE` where the corpus has it no longer."""
    text: str
    start: int
    """Where `text` begins in its document, in characters."""
    holds_evidence: bool
    """Whether a metric would credit it with a piece of the item's evidence, were it alone."""
    is_gone: bool = False
    """Then its title and text are empty."""
    answer: int = 0
    """Of a pair, which of the two answers it was retrieved for: 0 is A."""


def retrieved_texts(
    detail: PredictionDetail, documents: Mapping[str, LiveDocument]
) -> tuple[RetrievedText, ...]:
    """What was retrieved for an answer, in its order; nothing for one without retrieval."""
    texts = []
    for hit in detail.hits or ():
        document = documents.get(hit.document_id)
        holds = bool(credit([hit], detail.evidence)[0])
        if document is None:
            one = RetrievedText(hit.document_id, "", GONE, "", hit.start, holds, is_gone=True)
        else:
            name, text = source_text(document), document.text[hit.start : hit.end]
            one = RetrievedText(hit.document_id, document.title, name, text, hit.start, holds)
        texts.append(one)
    return tuple(texts)


def load_retrieved(
    db: sqlite3.Connection, detail: PredictionDetail
) -> tuple[RetrievedText, ...] | None:
    """The texts retrieved for an answer, read from its corpus; None without retrieval."""
    if detail.hits is None:
        return None
    corpus = corpora.get_by_id(db, detail.corpus_id)
    wanted = [hit.document_id for hit in detail.hits]
    return retrieved_texts(detail, corpora.documents_by_id(db, corpus, wanted))


def source_text(document: LiveDocument) -> str:
    """The title or first words, and what the document is known by."""
    said, name = heading(document), known_as(document)
    return name if said == name else f"{said}  ({name})"
