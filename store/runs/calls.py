"""What the stages of a system and judges asked models about an answer, and what these replied."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from store.jobs import model_calls
from store.jobs.model_calls import CallRef, ModelCall
from store.runs.judge_scores import JudgeValue


class StoredCall(Struct, frozen=True):
    """A request that the search for an answer or scores of it rest on."""

    asker: str
    """`stage query/1/NAME`, or `judge NAME`."""
    metrics: tuple[str, ...]
    """Of these scores, in the order in which they were given; none for a stage."""
    repeat: int
    """Of the judge, from 0."""
    is_cached: bool
    """Whether its reply was there already, so that it cost nothing."""
    call: ModelCall | None
    """Null where it was purged."""


class _Asking(Struct):
    calls: tuple[CallRef, ...] = ()


def of_prediction(db: sqlite3.Connection, prediction_id: int) -> tuple[StoredCall, ...]:
    """The requests of all stages before the answer and then of all judges, each once, in the order
    asked by each."""
    return (*_of_stages(db, prediction_id), *_of_judges(db, prediction_id))


def _of_stages(db: sqlite3.Connection, prediction_id: int) -> Iterator[StoredCall]:
    rows = db.execute(
        "SELECT stage, value FROM stage_result WHERE prediction_id = ?"
        " AND (stage LIKE 'query/%' OR stage LIKE 'context/%' OR stage IN ('retrieve', 'answer'))"
        " ORDER BY finished_at, stage",
        (prediction_id,),
    )
    for stage, value in rows:
        for ref in msgspec.json.decode(value, type=_Asking).calls:
            stored = model_calls.get(db, ref.key)
            yield StoredCall(f"stage {stage}", (), 0, ref.cached, stored)


def _of_judges(db: sqlite3.Connection, prediction_id: int) -> tuple[StoredCall, ...]:
    rows = db.execute(
        "SELECT judge.name, judge.id, stage, value FROM stage_result JOIN judge"
        " ON stage LIKE 'judge/' || judge.id || '/%'"
        " WHERE prediction_id = ? ORDER BY judge.id, finished_at, stage",
        (prediction_id,),
    )
    found: dict[tuple[int, str], StoredCall] = {}
    for name, judge, stage, value in rows:
        _, _, metric, repeat = stage.split("/")
        for ref in msgspec.json.decode(value, type=JudgeValue).calls:
            place = judge, ref.key
            metrics = (*(found[place].metrics if place in found else ()), metric)
            cached = found[place].is_cached if place in found else ref.cached
            call = found[place].call if place in found else model_calls.get(db, ref.key)
            found[place] = StoredCall(f"judge {name}", metrics, int(repeat), cached, call)
    return tuple(found.values())
