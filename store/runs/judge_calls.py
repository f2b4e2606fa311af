"""What judges asked models about an answer, and what these replied."""

from __future__ import annotations

import sqlite3

import msgspec
from msgspec import Struct

from store.jobs import model_calls
from store.jobs.model_calls import ModelCall
from store.runs.judge_scores import JudgeValue


class JudgeCall(Struct, frozen=True):
    """A request that scores of an answer rest on."""

    judge: str
    metrics: tuple[str, ...]
    """Of these scores, in the order in which they were given."""
    repeat: int
    """From 0."""
    is_cached: bool
    """Whether its reply was there already, so that it cost nothing."""
    call: ModelCall | None
    """Null where it was purged."""


def of_prediction(db: sqlite3.Connection, prediction_id: int) -> tuple[JudgeCall, ...]:
    """The requests of all judges about an answer, each once, in the order asked by each judge."""
    rows = db.execute(
        "SELECT judge.name, judge.id, stage, value FROM stage_result JOIN judge"
        " ON stage LIKE 'judge/' || judge.id || '/%'"
        " WHERE prediction_id = ? ORDER BY judge.id, finished_at, stage",
        (prediction_id,),
    )
    found: dict[tuple[int, str], JudgeCall] = {}
    for name, judge, stage, value in rows:
        _, _, metric, repeat = stage.split("/")
        for ref in msgspec.json.decode(value, type=JudgeValue).calls:
            place = judge, ref.key
            metrics = (*(found[place].metrics if place in found else ()), metric)
            cached = found[place].is_cached if place in found else ref.cached
            call = found[place].call if place in found else model_calls.get(db, ref.key)
            found[place] = JudgeCall(name, metrics, int(repeat), cached, call)
    return tuple(found.values())
