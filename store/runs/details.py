"""One prediction in full: its item, the retrieved passages, its answer and all its scores."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from store.errors import NotFound
from store.records import (
    Evidence,
    Hit,
    ItemContent,
    MetricScore,
    PredictionState,
    ScoreState,
)
from store.runs.results import UNUSED
from store.runs.stages import AnswerValue, ContextValue, QueryValue, RetrieveValue

Value = TypeVar("Value")


class JudgedScore(msgspec.Struct, frozen=True):
    score: MetricScore
    judge: str
    details: dict[str, Any] | None = None
    """What the judge counted the score from, where it tells that."""


class PredictionDetail(msgspec.Struct, frozen=True):
    """One prediction with its item, its passages and its scores."""

    id: int
    run_id: int
    run_name: str
    system_name: str
    corpus_id: int
    item_id: int
    item_key: str
    group_key: str
    content: ItemContent
    turn: int
    repeat: int
    state: PredictionState
    answer: str | None
    answer_reason: str
    error_kind: str | None
    error_text: str | None
    query: str
    hits: tuple[Hit, ...] | None
    """None when the system retrieves nothing (closed-book) or has not come so far."""
    scores: tuple[JudgedScore, ...]
    earlier_answers: tuple[str | None, ...]
    query_stages: tuple[tuple[str, QueryValue], ...] = ()
    """What was searched for after each stage before retrieval, by the stage's name, in order."""
    context_stages: tuple[tuple[str, ContextValue], ...] = ()
    """Likewise what there was to read after each stage behind retrieval."""
    answer_calls: int = 1
    """How many requests the answer took: three or more where it was asked for in halves."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return self.content.turns[self.turn].evidence


def prediction(db: sqlite3.Connection, prediction_id: int) -> PredictionDetail:
    """The prediction with its item, the retrieved passages, its answer and all its scores."""
    row = db.execute(
        "SELECT run.id, run.name, system.name, dataset.corpus_id, item.id, item_key, group_key,"
        " content, turn, repeat, prediction.state, answer, error_kind, error_text, revision_id"
        " FROM prediction JOIN run ON run.id = run_id JOIN system ON system.id = system_id"
        " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
        " JOIN dataset ON dataset.id = dataset_id WHERE prediction.id = ?",
        (prediction_id,),
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no prediction with number {prediction_id}.")
    (run_id, run, system, corpus, item, key, group, content, turn, repeat, *rest) = row
    state, answer, error_kind, error_text, revision_id = rest
    stages = dict(
        db.execute(
            "SELECT stage, value FROM stage_result WHERE prediction_id = ?", (prediction_id,)
        ).fetchall()
    )
    retrieved = (
        msgspec.json.decode(stages["retrieve"], type=RetrieveValue)
        if "retrieve" in stages
        else None
    )
    answered = (
        msgspec.json.decode(stages["answer"], type=AnswerValue)
        if "answer" in stages
        else AnswerValue()
    )
    earlier = db.execute(
        "SELECT answer FROM prediction WHERE run_id = ? AND revision_id = ? AND repeat = ?"
        " AND turn < ? ORDER BY turn",
        (run_id, revision_id, repeat, turn),
    )
    return PredictionDetail(
        prediction_id,
        run_id,
        run,
        system,
        corpus,
        item,
        key,
        group,
        msgspec.json.decode(content, type=ItemContent),
        turn,
        repeat,
        PredictionState(state),
        answer,
        answered.reason,
        error_kind,
        error_text,
        retrieved.query if retrieved else "",
        retrieved.hits if retrieved else None,
        scores(db, prediction_id),
        tuple(text for (text,) in earlier),
        query_stages(stages),
        context_stages(stages),
        len(answered.calls) or 1,
    )


def query_stages(stages: Mapping[str, str]) -> tuple[tuple[str, QueryValue], ...]:
    """The stages `query/NUMBER/NAME` among stored values of a prediction, by name, in order."""
    return tuple(_numbered(stages, "query/", QueryValue))


def context_stages(stages: Mapping[str, str]) -> tuple[tuple[str, ContextValue], ...]:
    """Likewise the stages `context/NUMBER/NAME`."""
    return tuple(_numbered(stages, "context/", ContextValue))


def _numbered(
    stages: Mapping[str, str], start: str, type: type[Value]
) -> Iterator[tuple[str, Value]]:
    names = [stage.split("/") for stage in stages if stage.startswith(start)]
    for kind, number, name in sorted(names, key=lambda parts: int(parts[1])):
        value = stages[f"{kind}/{number}/{name}"]
        yield name, msgspec.json.decode(value, type=type)


def scores(db: sqlite3.Connection, prediction_id: int) -> tuple[JudgedScore, ...]:
    """All scores of a prediction, rule metrics first; those of metrics that its task does not use
    are `na`."""
    unused = {
        (metric, judge)
        for metric, judge in db.execute(
            "SELECT metric_id, judge_id FROM unused_metric"
            " WHERE (taxonomy_id, task) = (SELECT taxonomy_id, task FROM prediction"
            "  JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
            "  JOIN dataset ON dataset.id = dataset_id WHERE prediction.id = ?)",
            (prediction_id,),
        )
    }
    rows = db.execute(
        "SELECT metric_id, judge_id, metric.name, variant, score.value, state, reason, judge.name,"
        " json_extract(stage_result.value, '$.details') FROM score"
        " JOIN metric ON metric.id = metric_id JOIN judge ON judge.id = judge_id"
        " LEFT JOIN stage_result ON stage_result.prediction_id = score.prediction_id"
        "  AND stage = 'judge/' || judge_id || '/' || metric.name || '/' || score.repeat"
        " WHERE score.prediction_id = ?"
        " ORDER BY judge_id, variant <> 'standard', variant, metric.name, score.repeat",
        (prediction_id,),
    )
    return tuple(
        JudgedScore(
            MetricScore(name, variant, None, ScoreState.NA, UNUSED)
            if (metric, by) in unused
            else MetricScore(name, variant, value, ScoreState(state), reason),
            judge,
            None if told is None else msgspec.json.decode(told),
        )
        for metric, by, name, variant, value, state, reason, judge, told in rows
    )
