"""Stores refinements: the texts that stages of a system had a model make of a corpus' chunks."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.corpora.corpora import Corpus
from store.hashing import canonical_json
from store.jobs.model_calls import CallRef
from store.records import Hit, Span
from store.systems import StageConfig


class Refinement(Struct, frozen=True):
    id: int
    is_finished: bool
    """Whether every chunk has its text."""


class RefinedChunk(Struct, frozen=True):
    """What a chunk is indexed by, and what it took."""

    text: str
    """Without the title of its document."""
    calls: tuple[CallRef, ...] = ()
    unusable: int = 0
    """How many stages left the text as it was, for want of a usable reply."""


def find(
    db: sqlite3.Connection, corpus: Corpus, fingerprint: str, stages: Sequence[StageConfig]
) -> Refinement | None:
    """The refinement of chunks with that fingerprint by stages as a run froze them."""
    row = db.execute(
        "SELECT id, finished_at IS NOT NULL FROM refinement"
        " WHERE corpus_id = ? AND fingerprint = ? AND stages = ?",
        (corpus.id, fingerprint, canonical_json(stages).decode()),
    ).fetchone()
    return None if row is None else Refinement(row[0], bool(row[1]))


def begin(
    db: sqlite3.Connection, corpus: Corpus, fingerprint: str, stages: Sequence[StageConfig]
) -> Refinement:
    """The same, a new one where there is none."""
    db.execute(
        "INSERT INTO refinement (corpus_id, fingerprint, stages, created_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (corpus.id, fingerprint, canonical_json(stages).decode(), now_text()),
    )
    refinement = find(db, corpus, fingerprint, stages)
    assert refinement is not None, "it was put there"
    return refinement


def put(
    db: sqlite3.Connection, refinement_id: int, chunk: Span, made: RefinedChunk, job_id: int
) -> None:
    """Stores the text of a chunk, which `job_id` has paid for; one that is there stays."""
    db.execute(
        "INSERT INTO refined_chunk (refinement_id, document_id, start, end, text, unusable, calls,"
        " job_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            *(refinement_id, chunk.document_id, chunk.start, chunk.end, made.text, made.unusable),
            *(canonical_json(made.calls).decode(), job_id),
        ),
    )


def finish(db: sqlite3.Connection, refinement_id: int) -> None:
    """Notes that every chunk has its text."""
    db.execute("UPDATE refinement SET finished_at = ? WHERE id = ?", (now_text(), refinement_id))


def refined(db: sqlite3.Connection, refinement_id: int) -> set[Span]:
    """The chunks that have their text."""
    rows = db.execute(
        "SELECT document_id, start, end FROM refined_chunk WHERE refinement_id = ?",
        (refinement_id,),
    )
    return {Span(*row) for row in rows}


def texts(db: sqlite3.Connection, refinement_id: int, document_id: str) -> dict[int, str]:
    """The texts of a document's chunks, by where each begins."""
    rows = db.execute(
        "SELECT start, text FROM refined_chunk WHERE refinement_id = ? AND document_id = ?",
        (refinement_id, document_id),
    )
    return dict(rows.fetchall())


def calls(
    db: sqlite3.Connection, refinement_id: int, chunks: Sequence[Span | Hit]
) -> tuple[CallRef, ...]:
    """What was asked for the texts of some chunks, in their order."""
    made: list[CallRef] = []
    for chunk in chunks:
        row = db.execute(
            "SELECT calls FROM refined_chunk"
            " WHERE refinement_id = ? AND document_id = ? AND start = ?",
            (refinement_id, chunk.document_id, chunk.start),
        ).fetchone()
        made += msgspec.json.decode(row[0], type=tuple[CallRef, ...]) if row else ()
    return tuple(made)


def unusable(db: sqlite3.Connection, refinement_id: int) -> tuple[int, int]:
    """The number of chunks that a stage left as they were, and of all."""
    row = db.execute(
        "SELECT coalesce(sum(unusable > 0), 0), count(*) FROM refined_chunk"
        " WHERE refinement_id = ?",
        (refinement_id,),
    ).fetchone()
    return int(row[0]), int(row[1])


def spent(db: sqlite3.Connection, job_id: int) -> tuple[int, float]:
    """Tokens and money that the calls of a job for texts of chunks used, without those served from
    the cache."""
    tokens, cost = db.execute(
        "SELECT coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),"
        " coalesce(sum(cost), 0.0) FROM model_call WHERE key IN"
        " (SELECT json_extract(call.value, '$.key') FROM refined_chunk, json_each(calls) AS call"
        "  WHERE job_id = ? AND NOT coalesce(json_extract(call.value, '$.cached'), 0))",
        (job_id,),
    ).fetchone()
    return int(tokens), float(cost)
