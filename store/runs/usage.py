"""What each answer of a run took: time, tokens and money."""

from __future__ import annotations

import sqlite3
from statistics import fmean

from msgspec import Struct


class Usage(Struct, frozen=True):
    """What an answer took with the stages before it, replies from the cache as when they were made;
    all 0 for the tokens and money of a system that asks no model."""

    latency_ms: float
    """One stage and one call after the other, without waiting for a free place."""
    tokens: float | None
    """Of requests and replies; null where a server counts none."""
    cost: float | None
    """Null where the provider states no prices, or prices in several currencies."""


_USAGE = """
WITH stage AS (
    SELECT prediction_id, stage, value, call_key, elapsed_ms
    FROM prediction JOIN stage_result ON prediction_id = prediction.id
    WHERE run_id = :run AND (stage LIKE 'query/%' OR stage LIKE 'context/%'
        OR stage IN ('retrieve', 'answer'))
), asked AS (
    SELECT prediction_id, call_key AS key, 0 AS waits FROM stage
    WHERE stage = 'answer' AND call_key IS NOT NULL
    UNION SELECT prediction_id, json_extract(call.value, '$.key'),
        stage <> 'answer' AND coalesce(json_extract(call.value, '$.cached'), 0)
    FROM stage, json_each(stage.value, '$.calls') AS call
), called AS (
    SELECT prediction_id, count(*) AS calls, count(tokens_in) AS counted,
        sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)) AS tokens,
        count(cost) AS priced, sum(cost) AS cost, count(DISTINCT currency) AS currencies,
        sum(CASE WHEN waits THEN latency_ms ELSE 0 END) AS latency
    FROM asked LEFT JOIN model_call ON model_call.key = asked.key GROUP BY prediction_id
), worked AS (
    SELECT prediction_id, sum(elapsed_ms) AS elapsed FROM stage GROUP BY prediction_id
)
SELECT revision_id, turn, repeat, elapsed + coalesce(latency, 0),
    CASE WHEN coalesce(calls, 0) = coalesce(counted, 0) THEN coalesce(tokens, 0) END,
    CASE WHEN coalesce(calls, 0) = coalesce(priced, 0) AND coalesce(currencies, 0) < 2
        THEN coalesce(cost, 0.0) END
FROM prediction JOIN worked ON worked.prediction_id = prediction.id
    LEFT JOIN called ON called.prediction_id = prediction.id
WHERE run_id = :run AND prediction.state IN ('ok', 'refused')
"""


def of_answers(db: sqlite3.Connection, run_id: int) -> dict[tuple[int, int, int], Usage]:
    """What each answer of a run took, by revision, turn and repeat; of failed ones nothing."""
    rows = db.execute(_USAGE, {"run": run_id})
    return {
        (revision, turn, repeat): Usage(latency, tokens, cost)
        for revision, turn, repeat, latency, tokens, cost in rows
    }


def mean_of_answers(db: sqlite3.Connection, run_id: int) -> Usage | None:
    """What an answer of a run took on average; null where it has none, and each figure that is
    unknown for one of them."""
    answers = of_answers(db, run_id).values()
    if not answers:
        return None
    latency = fmean(answer.latency_ms for answer in answers)
    tokens = [answer.tokens for answer in answers if answer.tokens is not None]
    cost = [answer.cost for answer in answers if answer.cost is not None]
    return Usage(
        latency,
        fmean(tokens) if len(tokens) == len(answers) else None,
        fmean(cost) if len(cost) == len(answers) else None,
    )
