"""Reads chunks of a corpus as documents of their own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from engine.corpus.document import SourceDocument
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.records import Span


def chunk_documents(
    db: sqlite3.Connection, corpus: Corpus, chunks: Sequence[Span]
) -> Iterator[SourceDocument]:
    """The chunks in the order asked for, each with the title of the document that it is of."""
    documents = corpora.documents_by_id(db, corpus, {chunk.document_id for chunk in chunks})
    for chunk in chunks:
        document = documents[chunk.document_id]
        yield SourceDocument(
            chunk.document_id,
            document.title,
            document.text[chunk.start : chunk.end],
            "zh" if document.lang == "zh" else "en",
        )
