"""Retrieved chunks with their texts, as answerers and judges read them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.records import Hit, Passage


def passages(db: sqlite3.Connection, corpus: Corpus, hits: Sequence[Hit]) -> list[Passage]:
    """The chunks with their texts and their documents' titles, in the order of the hits.

    What an imported answer was made from and no document here is, has no text and is left out.
    """
    documents = corpora.documents_by_id(db, corpus, (hit.document_id for hit in hits))
    return [
        Passage(
            document_id=hit.document_id,
            title=documents[hit.document_id].title,
            text=documents[hit.document_id].text[hit.start : hit.end],
            start=hit.start,
        )
        for hit in hits
        if hit.document_id in documents
    ]
