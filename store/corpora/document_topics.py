"""The topics of documents, by taxonomy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from store.clock import now_text
from store.corpora.corpora import LIVE, Corpus, LiveDocument


def put(
    db: sqlite3.Connection,
    taxonomy_key: str,
    topics: Sequence[tuple[int, str, float | None]],
    method: str,
) -> None:
    """Records (document row, topic key, score) for each document classified."""
    at = now_text()
    db.executemany(
        "INSERT OR REPLACE INTO document_topic (taxonomy_key, document, topic, score, method, at,"
        " checksum, number) VALUES (?1, ?2, ?3, ?4, ?5, ?6, row_sum(?2, ?3),"
        " (SELECT coalesce(max(number), 0) + 1 FROM document_topic WHERE document = ?2))",
        ((taxonomy_key, row, topic, score, method, at) for row, topic, score in topics),
    )


def unclassified(
    db: sqlite3.Connection, corpus: Corpus, taxonomy_key: str
) -> Iterator[LiveDocument]:
    rows = db.execute(
        LIVE + " WHERE NOT EXISTS (SELECT 1 FROM document_topic WHERE taxonomy_key = ?"
        " AND document_topic.document = document.id) ORDER BY document_id",
        (corpus.id, taxonomy_key),
    )
    for row in rows:
        yield LiveDocument(*row)


def by_document(db: sqlite3.Connection, corpus: Corpus, taxonomy_key: str) -> dict[str, str]:
    """Maps document id to topic key, for the classified documents of the corpus."""
    rows = db.execute(
        "SELECT document_id, topic FROM document_topic JOIN document"
        " ON document.id = document_topic.document WHERE taxonomy_key = ? AND document IN"
        " (SELECT document FROM source WHERE corpus_id = ? AND superseded_at IS NULL)",
        (taxonomy_key, corpus.id),
    )
    return dict(rows.fetchall())


def counts(db: sqlite3.Connection, corpus: Corpus, taxonomy_key: str) -> dict[str, int]:
    """Documents of the corpus by topic key; those that are not classified yet under ''."""
    rows = db.execute(
        "SELECT coalesce(topic, ''), count(*) FROM (SELECT DISTINCT document FROM source"
        " WHERE corpus_id = ? AND superseded_at IS NULL) AS held LEFT JOIN document_topic"
        " ON document_topic.document = held.document AND taxonomy_key = ? GROUP BY 1",
        (corpus.id, taxonomy_key),
    )
    return dict(rows.fetchall())
