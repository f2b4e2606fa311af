"""Importing the scores that a judge elsewhere gave the answers of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from engine.importers.foreign_scores import Scores, attach_scores, checked, missing
from engine.judge.registry import metric_spec
from engine.metrics.spec import MetricSpec
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.formats.judge_scores import NOT_APPLICABLE, FileScore, read_scores
from store.records import MetricScore, PredictionState, ScoreState
from store.runs import predictions, runs
from store.runs.predictions import StoredPrediction
from store.runs.runs import Run
from store.workspace import Workspace


class ImportedScores(Struct, frozen=True):
    run: str
    judge: str
    metrics: tuple[str, ...]
    states: dict[ScoreState, int]
    """Scores by state; `missing` are those that the file says nothing about."""


def import_scores(workspace: Workspace, file: Path, run_name: str, judge: str) -> ImportedScores:
    """Reads `file` into a run as the scores of a judge; all of it or nothing.

    Every answer gets every metric that the file has. Raises NotFound for an unknown run,
    InputError, naming file and line, for an item or turn that the run lacks, an unknown metric, a
    value that is no number and a second value; and UsageError when a judge of that name has given
    the run one of the metrics before. A number off its scale is stored as `out_of_range`.
    """
    if not judge.strip() or "@" in judge:
        raise UsageError(f"{judge!r} cannot name a judge.", "Leave out @ and blank names.")
    db = workspace.db
    run = runs.get(db, run_name)
    answers = _answers(workspace, run)
    given: dict[int, dict[tuple[int, str], MetricScore]] = {0: {}}
    """By the judge's repeat, then by prediction and metric."""
    specs: dict[str, MetricSpec] = {}
    for line, row in read_scores(file):
        if row.judge not in (None, judge):
            continue
        place = f"{file}, line {line}"
        answer = answers.get((str(row.id), row.turn, row.repeat))
        if answer is None:
            raise InputError(
                f"{place}: run {run.name!r} has no item {str(row.id)!r} with turn {row.turn},"
                f" repeat {row.repeat}.",
                "The `id` of a score is the key of its item; turns and repeats count from 0.",
            )
        spec = specs.setdefault(row.metric, _spec(row.metric, place))
        key = (answer.id, row.metric)
        values = given.setdefault(row.judge_repeat, {})
        if key in values:
            raise InputError(f"{place}: a second value of {row.metric} for item {row.id}.")
        values[key] = _score(spec, row, place)
    if not specs:
        raise InputError(
            f"{file} holds no score by {judge!r}.",
            "Give it one JSON object a line, without `judge` or with that one.",
        )
    scores = {
        answer.id: [
            given[0].get((answer.id, name)) or missing(spec, "the file says nothing about it")
            for name, spec in specs.items()
        ]
        for answer in answers.values()
        if answer.state is not PredictionState.PENDING
    }
    # everything was read before, so that the one transaction is short
    with workspace.write(durable=True) as db:
        attach_scores(db, run, judge, scores)
        for repeat in sorted(given.keys() - {0}):
            again: Scores = {}
            for (prediction, _), score in given[repeat].items():
                again.setdefault(prediction, []).append(score)
            attach_scores(db, run, judge, again, repeat=repeat)
    states = Counter(score.state for values in scores.values() for score in values)
    return ImportedScores(run.name, judge, tuple(specs), dict(sorted(states.items())))


def _answers(workspace: Workspace, run: Run) -> Mapping[tuple[str, int, int], StoredPrediction]:
    keys = {
        item.revision_id: item.item_key
        for item in datasets.released_items(workspace.db, run.release_id)
    }
    return {
        (keys[revision], turn, repeat): row
        for (revision, turn, repeat), row in predictions.by_key(workspace.db, run.id).items()
    }


def _spec(metric: str, place: str) -> MetricSpec:
    try:
        return metric_spec(metric)
    except UsageError as error:
        raise InputError(f"{place}: {error.message}", error.remedy) from error


def _score(spec: MetricSpec, row: FileScore, place: str) -> MetricScore:
    value = row.value
    if row.state not in (None, ScoreState.OK):
        return MetricScore(spec.name, spec.variant, None, row.state, row.reason)
    if value is None or (isinstance(value, str) and value.strip().lower() in NOT_APPLICABLE):
        return MetricScore(spec.name, spec.variant, None, ScoreState.NA, row.reason)
    try:
        number = float(value)
    except ValueError:
        raise InputError(
            f"{place}: field `value`: {value!r} is not a number.",
            "Give a number, or null where the metric does not apply.",
        ) from None
    return checked(spec, number, row.reason or f"their file says {value}")
