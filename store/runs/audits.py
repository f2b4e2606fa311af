"""What judges said of changed answers, and the audits that were made of judges."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.hashing import canonical_json
from store.jobs.model_calls import CallRef
from store.records import MetricScore, ScoreState
from store.runs.judge_scores import RETRIED


class ProbeScore(Struct, frozen=True):
    """A judge's value of one metric of an answer, after a change."""

    prediction_id: int
    change: str
    metric: str
    repeat: int
    state: ScoreState
    value: float | None


class StoredAudit(Struct, frozen=True):
    """An audit as it was made; `report` is JSON."""

    id: int
    judge_id: int
    judge: str
    judge_hash: str
    verdict: str
    report: bytes
    made_at: str


def put_score(
    db: sqlite3.Connection,
    judge_id: int,
    prediction_id: int,
    change: str,
    score: MetricScore,
    repeat: int,
    calls: Sequence[CallRef],
) -> None:
    """Stores a value; one that is there stays, since equal input gives an equal score."""
    db.execute(
        "INSERT INTO probe_score VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            judge_id,
            prediction_id,
            change,
            score.metric,
            repeat,
            score.state.value,
            score.value,
            score.reason,
            canonical_json(calls).decode(),
        ),
    )


def scores(db: sqlite3.Connection, judge_id: int) -> list[ProbeScore]:
    """All that a judge has said of changed answers."""
    rows = db.execute(
        "SELECT prediction_id, change, metric, repeat, state, value FROM probe_score"
        " WHERE judge_id = ? ORDER BY prediction_id, change, metric, repeat",
        (judge_id,),
    )
    return [
        ProbeScore(prediction, change, metric, repeat, ScoreState(state), value)
        for prediction, change, metric, repeat, state, value in rows
    ]


def spent(db: sqlite3.Connection, judge_ids: Sequence[int]) -> tuple[int, float]:
    """Tokens and money that the calls of audits of these judges used, without those from the cache;
    a call behind several values counts once."""
    tokens, cost = db.execute(
        "SELECT coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),"
        " coalesce(sum(cost), 0.0) FROM model_call WHERE key IN"
        " (SELECT json_extract(call.value, '$.key') FROM probe_score,"
        "  json_each(calls) AS call WHERE judge_id IN (SELECT value FROM json_each(?))"
        "  AND NOT coalesce(json_extract(call.value, '$.cached'), 0))",
        (msgspec.json.encode(list(judge_ids)).decode(),),
    ).fetchone()
    return int(tokens), float(cost)


_FAILED = (
    "FROM probe_score WHERE state IN (SELECT value FROM json_each(?))"
    " AND judge_id IN (SELECT value FROM json_each(?))"
)


def failed(db: sqlite3.Connection, judge_ids: Sequence[int]) -> int:
    """The number of values that failed for lack of a reply."""
    (count,) = db.execute(f"SELECT count(*) {_FAILED}", _failed_of(judge_ids)).fetchone()
    return int(count)


def reopen_failed(db: sqlite3.Connection, judge_ids: Sequence[int]) -> int:
    """Deletes the values that failed for lack of a reply; returns their number."""
    return db.execute(f"DELETE {_FAILED}", _failed_of(judge_ids)).rowcount


def _failed_of(judge_ids: Sequence[int]) -> tuple[str, str]:
    return canonical_json(RETRIED).decode(), canonical_json(list(judge_ids)).decode()


def add(db: sqlite3.Connection, judge_id: int, verdict: str, report: Struct) -> int:
    """Stores an audit; returns its number."""
    made = db.execute(
        "INSERT INTO audit (judge_id, verdict, report, made_at) VALUES (?, ?, ?, ?)",
        (judge_id, verdict, canonical_json(report).decode(), now_text()),
    )
    return int(made.lastrowid or 0)


_AUDIT = (
    "SELECT audit.id, judge_id, judge.name, config_hash, verdict, report, made_at FROM audit"
    " JOIN judge ON judge.id = judge_id"
)


def latest(db: sqlite3.Connection, judge_id: int) -> StoredAudit | None:
    """The newest audit of this configuration of a judge; null where there is none."""
    row = db.execute(
        f"{_AUDIT} WHERE judge_id = ? ORDER BY audit.id DESC LIMIT 1", (judge_id,)
    ).fetchone()
    return None if row is None else _audit(row)


def newest(db: sqlite3.Connection) -> dict[str, StoredAudit]:
    """The newest audit of every judge that has one, by the judge's name."""
    rows = db.execute(f"{_AUDIT} ORDER BY audit.id")
    return {audit.judge: audit for audit in map(_audit, rows)}


def _audit(row: tuple[int, int, str, str, str, str, str]) -> StoredAudit:
    return StoredAudit(*row[:5], row[5].encode(), row[6])
