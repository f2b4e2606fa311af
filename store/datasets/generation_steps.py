"""Stores what the stages of attempts at generating gave, where an attempt has several."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.datasets.generations import WAS_THERE, AttemptState
from store.hashing import canonical_json


class Step(Struct, frozen=True):
    """What one stage of an attempt gave."""

    stage: str
    state: AttemptState
    """Of the reply; `parsed` for what is no reply."""
    value: Any
    """As JSON has it; null where a reply could not be used."""
    reason: str = ""
    """Why a reply could not be used."""
    call_key: str | None = None
    """Null for a stage that asks no model."""
    cached: bool = False


def put(db: sqlite3.Connection, attempt_id: int, step: Step) -> None:
    """Stores what a stage of an attempt gave; the same once only, however often an attempt that
    was broken off is made again. Its `cached` is taken as `end_attempt` takes it."""
    db.execute(
        "INSERT INTO generation_step (attempt_id, stage, state, value, reason, call_key, cached,"
        " at) SELECT :attempt, :stage, :state, :value, :reason, :key,"
        f"  :cached AND {WAS_THERE}, :at FROM generation_attempt WHERE id = :attempt"
        " AND NOT EXISTS (SELECT 1 FROM generation_step WHERE attempt_id = :attempt"
        "  AND stage = :stage AND call_key IS :key AND value = :value)",
        {
            "attempt": attempt_id,
            "stage": step.stage,
            "state": step.state,
            "value": canonical_json(step.value).decode(),
            "reason": step.reason,
            "key": step.call_key,
            "cached": step.cached,
            "at": now_text(),
        },
    )


def of_item(db: sqlite3.Connection, item_id: int) -> list[Step]:
    """What the stages gave that an item was made by, in the order in which they were passed; none
    where it was made in one."""
    rows = db.execute(
        "SELECT stage, step.state, value, step.reason, step.call_key, step.cached"
        " FROM generation_step AS step"
        " JOIN generation_result AS result ON result.attempt_id = step.attempt_id"
        " WHERE item_id = ? ORDER BY step.id",
        (item_id,),
    )
    return [
        Step(stage, AttemptState(state), msgspec.json.decode(value), reason, key, bool(cached))
        for stage, state, value, reason, key, cached in rows
    ]
