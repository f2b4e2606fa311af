"""How many labels a question about runs takes, and how long a rater needs for them."""

from __future__ import annotations

import sqlite3

from engine.calibration.judge_values import wanted_judges
from engine.calibration.label_requests import LabelPlan
from engine.calibration.run_differences import LabelledRun
from engine.calibration.truths import FORM
from engine.judge.base import LABELLED
from engine.statistics.inference import MIN_GROUPS
from engine.statistics.label_plan import labels_needed
from engine.statistics.linearised import Linear, linear
from engine.statistics.prediction_powered import linear_difference
from store.errors import UsageError
from store.labels.samples import progress
from store.messages import choices
from store.runs import judged_answers
from store.runs import runs as store_runs
from store.runs.results import MetricKey

SECONDS_EACH = 30.0
"""For an answer, where the rater has labelled none."""


def plan_labels(
    db: sqlite3.Connection,
    runs: tuple[str, ...],
    metric: str,
    judge: str,
    asked: float,
    rater: str,
) -> LabelPlan:
    """The plan for one run, within `asked`; or for two, to find a difference of `asked`.

    Raises UsageError for a metric that people do not label, NotFound for an unknown run or judge.
    """
    if metric not in LABELLED:
        raise UsageError(f"People do not label {metric!r}.", choices(metric, LABELLED, "Metrics"))
    if not 0 < asked < 1:
        raise UsageError(f"{asked:g} is not above 0 and below 1.", "Means lie between 0 and 1.")
    found = [store_runs.get(db, name) for name in runs]
    first = [one.prediction_id for one in judged_answers.answers(db, found[0].id)]
    chosen = wanted_judges(judged_answers.judges(db, first), [judge])[0]
    key = MetricKey(metric, "standard", chosen.id, chosen.name)
    sides = [LabelledRun.of(db, run, key) for run in found]
    shared = [one for one in sides[0].questions if all(one in side.questions for side in sides)]
    joined, alone, labels = _pilot(sides, metric, shared)
    groups = len({sides[0].questions[one].group_key for one in shared})
    counts = labels_needed(
        joined,
        alone,
        answers=len(shared),
        groups=groups,
        asked=asked,
        is_difference=len(sides) > 1,
    )
    pace = progress.median_seconds(db, FORM, rater)
    return LabelPlan(
        tuple(run.name for run in found),
        metric,
        chosen.label,
        asked,
        len(shared),
        labels,
        joined is not None,
        *counts,
        (pace or SECONDS_EACH) * len(sides),
        pace is not None,
    )


def _pilot(
    sides: list[LabelledRun], metric: str, shared: list[tuple[str, int]]
) -> tuple[Linear | None, Linear | None, int]:
    """The estimates by the labels that there are, with the judge and without, and their number; no
    estimates where too few are labelled."""
    read = [side.population(metric, shared) for side in sides]
    held = [one for one in read if one is not None]
    if len(held) < len(sides):
        return None, None, 0
    first, last = held[0], held[-1]
    if len(held) == 1:
        joined = linear(first.judge, first.groups, first.labels)
        alone = linear(None, first.groups, first.labels)
        labels = len(first.labels.at)
    else:
        both = (first.groups, first.labels, last.labels)
        joined = linear_difference(first.judge, last.judge, *both)
        blank = first.judge * float("nan")
        alone = linear_difference(blank, blank, *both)
        labels = min(len(first.labels.at), len(last.labels.at))
    if joined is None or joined.effective < MIN_GROUPS:
        return None, None, labels
    return joined, alone, labels
