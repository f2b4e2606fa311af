"""Stores the stages of a prediction: the retrieved passages, the answer and the scores."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from store.clock import now_text
from store.hashing import canonical_json, content_hash
from store.jobs.model_calls import CallRef
from store.messages import check_printable
from store.records import Hit, MetricScore, Passage, PredictionState, SearchText


class RetrieveValue(msgspec.Struct, frozen=True, omit_defaults=True):
    """The stored value of the stage `retrieve`."""

    query: str
    """The search text; several are separated by empty lines."""
    hits: tuple[Hit, ...]
    hidden: tuple[str, ...] = ()
    """Documents that would have been among the hits, and that the item hides."""
    calls: tuple[CallRef, ...] = ()
    """Those of rerankers that ask a model."""
    unusable: int = 0
    """How many requests of theirs had no usable reply, twice."""


class QueryValue(msgspec.Struct, frozen=True, omit_defaults=True):
    """The stored value of a stage `query/NUMBER/NAME`: its search texts."""

    queries: tuple[SearchText, ...]
    calls: tuple[CallRef, ...] = ()
    unusable: int = 0
    """How many search texts stayed as they were because a model gave no usable reply, twice."""


class ContextValue(msgspec.Struct, frozen=True, omit_defaults=True):
    """The stored value of a stage `context/NUMBER/NAME`: its passages."""

    passages: tuple[Passage, ...]
    calls: tuple[CallRef, ...] = ()


class AnswerValue(msgspec.Struct, frozen=True):
    """The stored value of the stage `answer`, which explains the prediction's text."""

    reason: str = ""
    cached: bool = False
    """Whether the reply came from the cache, so that it cost nothing this time."""
    truncated: bool = False
    """Whether the model was cut short by its limit of tokens."""
    calls: tuple[CallRef, ...] = ()
    """Those to each half and to join them, where it took more than one."""


class ScoreValue(msgspec.Struct, frozen=True):
    """The stored value of the stage `score`: the number of scores that it wrote."""

    scores: int
    code: str = ""
    """Of the program that computed them; scores of equal answers by equal code are equal."""


def is_scored(db: sqlite3.Connection, prediction_id: int) -> bool:
    row = db.execute(
        "SELECT 1 FROM stage_result WHERE prediction_id = ? AND stage = 'score'", (prediction_id,)
    )
    return row.fetchone() is not None


def put(
    db: sqlite3.Connection,
    prediction_id: int,
    stage: str,
    value: Any,
    *,
    elapsed_ms: float,
    call_key: str | None = None,
) -> None:
    """Stores a stage's result; a stage that ran twice keeps the first, which is equal."""
    db.execute(
        "INSERT INTO stage_result (prediction_id, stage, value, call_key, elapsed_ms, finished_at,"
        " checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, row_sum(?2, ?3, ?4)) ON CONFLICT DO NOTHING",
        (
            prediction_id,
            stage,
            canonical_json(value).decode(),
            call_key,
            elapsed_ms,
            now_text(),
        ),
    )


def get(db: sqlite3.Connection, prediction_id: int, stage: str, type: Any) -> Any:
    """A stage's value as `type`, or None when the stage has no result yet."""
    row = db.execute(
        "SELECT value FROM stage_result WHERE prediction_id = ? AND stage = ?",
        (prediction_id, stage),
    ).fetchone()
    return None if row is None else msgspec.json.decode(row[0], type=type)


def named(db: sqlite3.Connection, prediction_id: int, start: str) -> dict[str, str]:
    """The stored values of the stages of a prediction whose names begin so, as JSON by name."""
    return dict(
        db.execute(
            "SELECT stage, value FROM stage_result WHERE prediction_id = ? AND stage GLOB ? || '*'",
            (prediction_id, start),
        ).fetchall()
    )


def finish_prediction(
    db: sqlite3.Connection,
    prediction_id: int,
    state: PredictionState,
    *,
    answer: str | None = None,
    error_kind: str | None = None,
    error_text: str | None = None,
) -> None:
    """Sets the answer or the failure of a pending prediction; a final one is left unchanged."""
    db.execute(
        "UPDATE prediction SET state = ?1, answer = ?2, error_kind = ?3, error_text = ?4,"
        " finished_at = ?5, checksum = row_sum(?1, ?2, ?3, ?4) WHERE id = ?6 AND state = 'pending'",
        (state, answer, error_kind, error_text, now_text(), prediction_id),
    )


def put_judge(db: sqlite3.Connection, name: str, config: dict[str, Any]) -> int:
    """The number of this judge configuration; equal configurations share one."""
    check_printable("judge", name)
    digest = content_hash(config)
    db.execute(
        "INSERT INTO judge (name, config_hash, config, created_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (config_hash) DO NOTHING",
        (name, digest, canonical_json(config).decode(), now_text()),
    )
    row = db.execute("SELECT id FROM judge WHERE config_hash = ?", (digest,)).fetchone()
    return int(row[0])


_PUT_SCORE = (
    "INSERT INTO score (prediction_id, metric_id, judge_id, repeat, state, value, reason, checksum)"
    " SELECT ?1, id, ?2, ?3, ?4, ?5, ?6, row_sum(?4, ?5, ?6) FROM metric"
    " WHERE name = ?7 AND variant = ?8 ON CONFLICT DO NOTHING"
)


def put_scores(
    db: sqlite3.Connection,
    prediction_id: int,
    scores: Sequence[MetricScore],
    *,
    judge_id: int = 0,
    repeat: int = 0,
) -> None:
    """Stores scores; an existing score stays, since equal input gives an equal score."""
    rows = [
        (
            prediction_id,
            judge_id,
            repeat,
            score.state.value,  # a plain str: sqlite3 looks for an adapter of any other
            score.value,
            score.reason,
            score.metric,
            score.variant,
        )
        for score in scores
    ]
    if db.executemany(_PUT_SCORE, rows).rowcount == len(rows):
        return
    # some are there already, or are the first of their metric
    db.executemany(
        "INSERT INTO metric (name, variant) VALUES (?, ?) ON CONFLICT DO NOTHING",
        ((score.metric, score.variant) for score in scores),
    )
    db.executemany(_PUT_SCORE, rows)
