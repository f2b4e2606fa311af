"""What the stages of a system and judges asked models about an answer, and what these replied."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from store.corpora import corpora
from store.jobs import model_calls
from store.jobs.model_calls import CallRef, ModelCall
from store.runs import refinements, runs, stages
from store.runs.judge_scores import JudgeValue
from store.runs.stages import RetrieveValue


class StoredCall(Struct, frozen=True):
    """A request that the search for an answer or scores of it rest on."""

    asker: str
    """`stage corpus`, `stage query/1/NAME`, or `judge NAME`."""
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
    """The requests for the texts that the retrieved chunks are indexed by, then those of all stages
    before the answer and of all judges, each once, in the order asked by each."""
    return (
        *_of_chunks(db, prediction_id),
        *_of_stages(db, prediction_id),
        *_of_judges(db, prediction_id),
    )


def _of_chunks(db: sqlite3.Connection, prediction_id: int) -> Iterator[StoredCall]:
    """None where no model has a part in these texts."""
    run_id, corpus_id = db.execute(
        "SELECT run_id, corpus_id FROM prediction JOIN run ON run.id = run_id"
        " JOIN release ON release.id = release_id JOIN dataset ON dataset.id = dataset_id"
        " WHERE prediction.id = ?",
        (prediction_id,),
    ).fetchone()
    run = runs.get(db, run_id)
    retrieved = stages.get(db, prediction_id, "retrieve", RetrieveValue)
    if retrieved is None or not any(stage.asked for stage in run.system.corpus):
        return
    corpus = corpora.get_by_id(db, corpus_id)
    if run.system.chunking is not None:
        corpus = replace(corpus, chunking=run.system.chunking)
    refinement = refinements.find(db, corpus, corpora.fingerprint(db, corpus), run.system.corpus)
    if refinement is not None:
        for ref in refinements.calls(db, refinement.id, retrieved.hits):
            stored = model_calls.get(db, ref.key)
            yield StoredCall("stage corpus", (), 0, ref.cached, stored)


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
