"""Scores that others computed: put on our scales with our states, and attached to a run."""

from __future__ import annotations

import sqlite3

from engine.metrics.spec import MetricSpec
from store.errors import UsageError
from store.records import MetricScore, ScoreState
from store.runs import judge_scores, stages
from store.runs.runs import Run

Scores = dict[int, list[MetricScore]]
"""By prediction number."""

NO_VALUE = "the result files say nothing about it"
"""The reason of a score that other predictions of the files have."""

_ROUNDING = 1e-6
"""How far above its scale a value may lie that single precision has carried there."""


def attach_scores(
    db: sqlite3.Connection, run: Run, judge: str, scores: Scores, *, repeat: int = 0
) -> int:
    """Stores the scores of a foreign judge by prediction number; returns how many there are.

    `repeat` counts how often it was asked before. Raises UsageError, the first time, when a judge
    of that name has given the run one of the metrics before.
    """
    new = {score.metric for values in scores.values() for score in values}
    taken = sorted(new & judge_scores.judged_metrics(db, run.id, judge))
    if taken and repeat == 0:
        raise UsageError(
            f"Run {run.name!r} has scores of {judge!r} already: {', '.join(taken)}.",
            "Give the judge of these a name of its own.",
            "--judge NAME",
        )
    judge_id = stages.put_judge(db, judge, {"judge": judge, "imported": True})
    for prediction_id, values in scores.items():
        stages.put_scores(db, prediction_id, values, judge_id=judge_id, repeat=repeat)
    return sum(map(len, scores.values()))


def checked(spec: MetricSpec, value: float, reason: str) -> MetricScore:
    """The score, or `out_of_range` for what is not on the scale."""
    top = spec.maximum or 1.0
    if top < value <= top + _ROUNDING:
        value = top
    legal = value in spec.values if spec.values else spec.minimum <= value <= top
    if not legal:
        return MetricScore(spec.name, spec.variant, None, ScoreState.OUT_OF_RANGE, reason)
    return MetricScore(spec.name, spec.variant, value, ScoreState.OK, reason)


def missing(spec: MetricSpec, reason: str) -> MetricScore:
    return MetricScore(spec.name, spec.variant, None, ScoreState.MISSING, reason)
