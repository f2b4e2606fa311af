"""Copies into a run what an equal run has already stored.

Two runs are equal when everything that makes an answer is: release, system, model, prompts and
corpus. An item is copied when all its turns were answered and then scored by the same code, and
none of them has been worked in the run that takes the copy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from store.clock import now_text
from store.runs.runs import Run, RunSettings

_NOT_IN_ANSWERS = ("name", "prices", "limits", "timeout_s", "api_key_env", "json_schema")
"""Fields of a provider that no answer depends on."""


def find(db: sqlite3.Connection, run: Run) -> list[int]:
    """Numbers of the runs equal to `run`, newest first."""
    rows = db.execute(
        "SELECT id, settings FROM run WHERE release_id = ? AND id <> ?"
        " AND system_id = (SELECT system_id FROM run WHERE id = ?) ORDER BY id DESC",
        (run.release_id, run.id, run.id),
    )
    inputs = _inputs(run.settings)
    return [
        number
        for number, settings in rows
        if _inputs(msgspec.json.decode(settings, type=RunSettings)) == inputs
    ]


def _inputs(settings: RunSettings) -> tuple[Any, ...]:
    models = [
        {field: value for field, value in provider.items() if field not in _NOT_IN_ANSWERS}
        for provider in (settings.provider or {}, *settings.stage_providers.values())
    ]
    return models, settings.prompts, settings.corpus_fingerprint, settings.imported_from


_PAIRS = """
SELECT target.id, source.id, head.ordinal FROM (
    SELECT head.revision_id, head.repeat, head.ordinal
    FROM prediction AS head JOIN prediction AS twin
        ON twin.run_id = :source AND twin.revision_id = head.revision_id
        AND twin.turn = 0 AND twin.repeat = head.repeat
    WHERE head.run_id = :target AND head.turn = 0 AND head.ordinal > :after
        AND NOT EXISTS (SELECT 1 FROM prediction AS worked
            WHERE worked.run_id = :target AND worked.revision_id = head.revision_id
                AND worked.repeat = head.repeat
                AND (worked.state <> 'pending' OR EXISTS
                    (SELECT 1 FROM stage_result WHERE prediction_id = worked.id)))
        AND NOT EXISTS (SELECT 1 FROM prediction AS other
            LEFT JOIN stage_result AS answered
                ON answered.prediction_id = other.id AND answered.stage = 'answer'
            LEFT JOIN stage_result AS scored
                ON scored.prediction_id = other.id AND scored.stage = 'score'
            WHERE other.run_id = :source AND other.revision_id = head.revision_id
                AND other.repeat = head.repeat
                AND (other.state <> 'ok' OR answered.call_key IS NULL
                    OR coalesce(json_extract(scored.value, '$.code'), '') NOT IN
                        (SELECT value FROM json_each(:codes))))
    ORDER BY head.ordinal LIMIT :limit
) AS head
JOIN prediction AS target ON target.run_id = :target
    AND target.revision_id = head.revision_id AND target.repeat = head.repeat
JOIN prediction AS source ON source.run_id = :source AND source.revision_id = target.revision_id
    AND source.turn = target.turn AND source.repeat = target.repeat
ORDER BY target.ordinal
"""


def copy(
    db: sqlite3.Connection,
    source: int,
    target: int,
    *,
    codes: Sequence[str],
    judge_id: int,
    after: int,
    limit: int,
) -> int | None:
    """Copies answers, stages and scores of the next `limit` items after ordinal `after`.

    `codes` are those that their `ScoreValue.code` may be, `judge_id` the judge whose scores are
    taken along with those of no judge. Returns the ordinal to go on after; None when nothing was
    left.
    """
    places = {
        "source": source,
        "target": target,
        "codes": msgspec.json.encode(codes).decode(),
        "after": after,
        "limit": limit,
    }
    found = db.execute(_PAIRS, places).fetchall()
    pairs = [(new, old) for new, old, _ in found]
    now = now_text()
    db.executemany(
        "UPDATE prediction SET state = 'ok', finished_at = ?, (answer, checksum) ="
        " (SELECT answer, checksum FROM prediction WHERE id = ?) WHERE id = ?",
        [(now, old, new) for new, old in pairs],
    )
    db.executemany(
        "INSERT INTO stage_result (prediction_id, stage, value, call_key, elapsed_ms, finished_at,"
        " checksum) SELECT ?, stage, copied, call_key, elapsed_ms, ?,"
        " row_sum(stage, copied, call_key) FROM (SELECT *, iif(stage = 'answer',"
        "  json_set(value, '$.cached', json('true')), value) AS copied FROM stage_result"
        "  WHERE prediction_id = ? AND stage NOT LIKE 'judge/%')",
        [(new, now, old) for new, old in pairs],
    )
    db.executemany(
        "INSERT INTO score (prediction_id, metric_id, judge_id, repeat, state, value, reason,"
        " checksum) SELECT ?, metric_id, judge_id, repeat, state, value, reason, checksum"
        " FROM score WHERE prediction_id = ? AND judge_id IN (0, ?)",
        [(new, old, judge_id) for new, old in pairs],
    )
    return int(found[-1][2]) if found else None
