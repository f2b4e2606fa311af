"""Models' replies about the topics of documents, and the topics that result from them."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from store.clock import now_text
from store.corpora import document_topics
from store.corpora.corpora import Corpus
from store.errors import Conflict
from store.records import UNASSIGNED

UNREAD = "unread"
"""The method of a topic that is `unassigned` because no reply could be read."""
ASKED_AT_MOST = 2
"""The number of times that one job asks for a document's topic when replies cannot be read."""


class ToClassify(Struct, frozen=True):
    """A document whose topic is still to be asked for."""

    row: int
    document_id: str
    repeat: int
    """The number of the model's replies that named no topic, which is the next call's number."""
    asked: int
    """The number of times that the job has already asked."""


class TopicReply(Struct, frozen=True):
    """A reply, or the reason why there is none; `topic` is null unless `state` is parsed."""

    document: int
    """Row of the document."""
    repeat: int
    model: str
    prompt_hash: str
    state: str
    """parsed, refused, unparsed, failed."""
    topic: str | None
    reason: str
    call_key: str | None = None
    cached: bool = False


class Unread(Struct, frozen=True):
    """A document left unassigned because the last reply about it could not be read."""

    document_id: str
    source: str
    state: str
    reason: str


def pending(
    db: sqlite3.Connection,
    corpus: Corpus,
    taxonomy_key: str,
    taxonomy_id: int,
    job_id: int,
    model: str,
    *,
    again: bool,
) -> list[ToClassify]:
    """The documents that a job still has to ask about, by id: those without a topic, or with none
    because no reply could be read; with `again` all of the corpus.
    """
    rows = db.execute(
        "SELECT document.id, document_id, (SELECT count(*) FROM topic_reply AS r WHERE"
        "   r.document = document.id AND r.taxonomy_id = ?1 AND r.model = ?2"
        "   AND r.state <> 'parsed' AND r.call_key IS NOT NULL),"
        "  (SELECT count(*) FROM topic_reply AS r WHERE r.document = document.id"
        "   AND r.job_id = ?3) AS asked FROM document"
        " WHERE document.id IN (SELECT document FROM source WHERE corpus_id = ?4"
        "   AND superseded_at IS NULL)"
        " AND (?5 OR NOT EXISTS (SELECT 1 FROM document_topic AS t WHERE t.taxonomy_key = ?8"
        "   AND t.document = document.id AND t.method <> ?6))"
        " AND asked < ?7 AND NOT EXISTS (SELECT 1 FROM topic_reply AS r WHERE"
        "   r.document = document.id AND r.job_id = ?3 AND r.state <> 'unparsed')"
        " ORDER BY document_id",
        (taxonomy_id, model, job_id, corpus.id, again, UNREAD, ASKED_AT_MOST, taxonomy_key),
    )
    return [ToClassify(*row) for row in rows]


def record(
    db: sqlite3.Connection, job_id: int, taxonomy_id: int, reply: TopicReply, *, is_last: bool
) -> None:
    """Stores a reply and assigns the document's topic by it, `unassigned` where the last one could
    not be read. Raises Conflict when the taxonomy was changed since the job began.
    """
    key, current = db.execute(
        "SELECT key, (SELECT taxonomy_id FROM taxonomy_name WHERE name = key) FROM taxonomy"
        " WHERE id = ?",
        (taxonomy_id,),
    ).fetchone()
    if current is not None and current != taxonomy_id:
        raise Conflict(
            f"Taxonomy {key!r} was changed since the job began.",
            "Classify anew.",
            f"ragdesk classify --taxonomy {key}",
        )
    db.execute(
        "INSERT INTO topic_reply (job_id, taxonomy_id, document, repeat, model, prompt_hash, state,"
        " topic, reason, call_key, cached, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            job_id,
            taxonomy_id,
            reply.document,
            reply.repeat,
            reply.model,
            reply.prompt_hash,
            reply.state,
            reply.topic,
            reply.reason,
            reply.call_key,
            reply.cached,
            now_text(),
        ),
    )
    if reply.topic is not None:
        document_topics.put(db, key, [(reply.document, reply.topic, None)], reply.model)
    elif is_last:
        document_topics.put(db, key, [(reply.document, UNASSIGNED, None)], UNREAD)


def unread(db: sqlite3.Connection, corpus: Corpus, taxonomy_key: str) -> list[Unread]:
    """The documents of a corpus whose topic could not be read, with the last reply's state."""
    rows = db.execute(
        "SELECT document_id, (SELECT min(CASE WHEN external_id <> '' THEN external_id ELSE path"
        "   END) FROM source WHERE source.document = document.id AND corpus_id = ?1),"
        "  state, reason FROM document_topic AS topic"
        " JOIN document ON document.id = topic.document"
        " JOIN topic_reply AS reply ON reply.id = (SELECT max(r.id) FROM topic_reply AS r"
        "   JOIN taxonomy ON taxonomy.id = r.taxonomy_id WHERE r.document = document.id"
        "   AND taxonomy.key = ?2)"
        " WHERE topic.taxonomy_key = ?2 AND method = ?3 AND topic.document IN (SELECT document"
        "   FROM source WHERE corpus_id = ?1 AND superseded_at IS NULL) ORDER BY document_id",
        (corpus.id, taxonomy_key, UNREAD),
    )
    return [Unread(*row) for row in rows]


def spent(db: sqlite3.Connection, job_id: int) -> tuple[int, float]:
    """Tokens and money that a job's calls used, without calls served from the cache."""
    tokens, cost = db.execute(
        "SELECT coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),"
        " coalesce(sum(cost), 0.0) FROM topic_reply JOIN model_call ON key = call_key"
        " WHERE job_id = ? AND NOT cached",
        (job_id,),
    ).fetchone()
    return int(tokens), float(cost)


def counts(db: sqlite3.Connection, job_id: int) -> dict[str, int]:
    """The number of a job's documents that ended in each state, by the last reply about each."""
    rows = db.execute(
        "SELECT state, count(*) FROM topic_reply WHERE id IN (SELECT max(id) FROM topic_reply"
        " WHERE job_id = ? GROUP BY document) GROUP BY state",
        (job_id,),
    )
    return dict(rows.fetchall())
