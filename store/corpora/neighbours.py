"""The pages around a document in its file."""

from __future__ import annotations

import sqlite3

from store.corpora.corpora import Corpus

_PAGES = "locator LIKE 'page %' AND superseded_at IS NULL"


def pages_around(
    db: sqlite3.Connection, corpus: Corpus, document_id: str, most: int = 2
) -> list[str]:
    """Ids of at most `most` later pages of the document's file, then as many earlier ones.

    Lines of a JSONL file and rows of a table are records of their own: they have no neighbours.
    """
    found = db.execute(
        "SELECT source.id, path FROM source JOIN document ON document.id = document"
        f" WHERE corpus_id = ? AND document_id = ? AND {_PAGES} ORDER BY path, source.id LIMIT 1",
        (corpus.id, document_id),
    ).fetchone()
    if found is None:
        return []
    number, path = found
    around: list[str] = []
    for later, order in ((">", "ASC"), ("<", "DESC")):
        rows = db.execute(
            "SELECT document_id FROM source JOIN document ON document.id = document"
            f" WHERE corpus_id = ? AND path = ? AND {_PAGES} AND source.id {later} ?"
            f" ORDER BY source.id {order} LIMIT ?",
            (corpus.id, path, number, most),
        )
        around += [name for (name,) in rows if name != document_id]
    return around
