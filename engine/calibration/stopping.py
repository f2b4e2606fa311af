"""Whether the labels of a sample answer the question that it was drawn for."""

from __future__ import annotations

import sqlite3

from msgspec import structs

from engine.calibration.calibration_records import LabelGoal
from engine.calibration.judge_values import values_of, wanted_judges
from engine.calibration.measures import calibrate
from engine.calibration.populations import label_chances
from engine.calibration.run_differences import LabelledRun
from engine.statistics.inference import Interval
from engine.statistics.linearised import sequence_interval
from engine.statistics.prediction_powered import (
    linear_difference,
    powered_difference,
    powered_mean,
)
from store.labels.samples import draws, samples
from store.labels.samples.samples import Sample
from store.runs import judged_answers
from store.runs import runs as store_runs
from store.runs.judge_scores import StoredJudge
from store.runs.results import MetricKey

FEWEST = 20
"""Labels before an interval counts as precise enough: by chance the first few agree too well."""


def label_goal(db: sqlite3.Connection, name: str) -> LabelGoal | None:
    """How far a sample that was drawn with a question is from its answer; None for another.

    `precision` and `agreement` are answered once half of the ordinary interval is at most what was
    asked: looking after every label does no harm there. `comparison` is answered once a confidence
    sequence, which allows looking, leaves no room for no difference. Raises NotFound for an
    unknown sample, run or judge.
    """
    sample = samples.get(db, name)
    if "choose" not in sample.settings:
        return None
    runs = [store_runs.get(db, run) for run in sample.settings["runs"]]
    answers = [one.prediction_id for one in judged_answers.answers(db, runs[0].id)]
    judge = wanted_judges(judged_answers.judges(db, answers), [sample.settings["judge"]])[0]
    metric = sample.settings["metric"]
    key = MetricKey(metric, "standard", judge.id, judge.name)
    read = [LabelledRun.of(db, run, key, sample.name) for run in runs]
    drawn = sum(one.wanted for one in draws.of_sample(db, sample))
    goal = LabelGoal(
        sample.settings["choose"],
        metric,
        judge.label,
        tuple(run.name for run in runs),
        drawn,
        sample.settings.get("within"),
        interval=Interval("run", "undefined", reason="nothing is labelled"),
    )
    if goal.choose == "comparison":
        return _comparison(goal, read[0], read[1])
    if goal.choose == "agreement":
        return _agreement(db, goal, read[0], judge, sample)
    return _mean(goal, read[0])


def _mean(goal: LabelGoal, run: LabelledRun) -> LabelGoal:
    found = run.population(goal.metric, list(run.questions))
    if found is None:
        return goal
    powered = powered_mean(found.judge, found.groups, found.labels)
    return _precise(
        structs.replace(
            goal, labels=powered.n_labelled, estimate=powered.mean, interval=powered.run
        )
    )


def _agreement(
    db: sqlite3.Connection,
    goal: LabelGoal,
    run: LabelledRun,
    judge: StoredJudge,
    sample: Sample,
) -> LabelGoal:
    weights = label_chances(db, run.truths, sample.name)
    truths = [one for one in run.truths if weights is None or one.prediction_id in weights]
    given, _ = values_of(db, judge, truths)
    for one in calibrate(truths, given, by_cell=False, weights=weights):
        if one.metric == goal.metric:
            kappa = one.kappa
            reason = kappa.reason or kappa.interval_reason
            interval = Interval("run", "ok", kappa.low, kappa.high)
            if kappa.low is None:
                interval = Interval("run", "too few", reason=reason)
            found = structs.replace(goal, labels=one.n, estimate=kappa.value, interval=interval)
            return _precise(found)
    return goal


def _precise(goal: LabelGoal) -> LabelGoal:
    half = goal.interval.half
    reached = goal.within is not None and half is not None and half <= goal.within
    return structs.replace(goal, is_answered=reached and goal.labels >= FEWEST)


def _comparison(goal: LabelGoal, a: LabelledRun, b: LabelledRun) -> LabelGoal:
    shared = [question for question in a.questions if question in b.questions]
    sides = [run.population(goal.metric, shared) for run in (a, b)]
    first, second = sides
    if first is None or second is None:
        return goal
    values = (first.judge, second.judge, first.groups, first.labels, second.labels)
    powered, found = powered_difference(*values), linear_difference(*values)
    if found is None:
        return goal
    sequence = sequence_interval(found, "new", goal.drawn, (-1.0, 1.0))
    low, high = sequence.low, sequence.high
    is_decided = low is not None and high is not None and not low <= 0 <= high
    return structs.replace(
        goal,
        labels=powered.paired if powered.is_paired else min(powered.n_a, powered.n_b),
        estimate=powered.difference,
        interval=powered.new,
        sequence=sequence,
        is_answered=is_decided,
    )
