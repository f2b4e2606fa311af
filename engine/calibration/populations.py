"""A run's answers with a judge's values and people's labels, as the estimators read them."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from engine.calibration.calibration_records import Truth
from engine.calibration.truths import FORM
from engine.labelling.drawing import stratum_of
from engine.metrics.spec import normalised, resolve
from engine.statistics.draws import Labels, label_weights, variance_strata
from engine.statistics.inference import Interval
from store.errors import UsageError
from store.labels import candidates, samples
from store.labels.samples import Sample
from store.runs import judged_answers, results
from store.runs.judged_answers import RunAnswer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

NAN = float("nan")


class Design(Struct, frozen=True):
    """How the labelled answers of a run were drawn."""

    sample: str = ""
    """That they were drawn by; without one they count alike, as if drawn at random."""
    places: Mapping[int, tuple[str, ...]] = {}
    """Of each answer, for a draw by quota: task, topic, and what it was balanced over."""


class Population(Struct, frozen=True):
    """Answers of a run on one metric."""

    judge: Floats
    """The judge's values on [0, 1], NaN where there is none."""
    groups: Ints
    labels: Labels


def population(
    answers: Sequence[RunAnswer],
    metric: str,
    values: Mapping[int, float],
    truths: Iterable[Truth],
    design: Design,
) -> Population | None:
    """The given answers, in their order, with the judge's `values` on the metric's scale, by
    number, and those of the labels that are of them.

    None when none of them is labelled, or the judge has judged none.
    """
    spec = resolve(metric)
    given = {truth.prediction_id: truth.value for truth in truths}
    labelled = [at for at, one in enumerate(answers) if one.prediction_id in given]
    judge = [
        normalised(spec, values[one.prediction_id]) if one.prediction_id in values else NAN
        for one in answers
    ]
    if not labelled or np.isnan(judge).all():
        return None
    grades = [given[answers[at].prediction_id] for at in labelled]
    people = [NAN if grade == "na" else normalised(spec, float(grade)) for grade in grades]
    _, groups = np.unique([one.group_key for one in answers], return_inverse=True)
    places = np.array(labelled, dtype=np.int64)
    labels = _labels(answers, places, np.array(people), groups, design)
    return Population(np.array(judge), groups, labels)


def _labels(
    answers: Sequence[RunAnswer], labelled: Ints, people: Floats, groups: Ints, design: Design
) -> Labels:
    if design.places:
        strata = [design.places.get(one.prediction_id, ()) for one in answers]
        weights = label_weights(strata, labelled.tolist())
        return Labels(labelled, people, weights, None, *variance_strata(strata, labelled.tolist()))
    whole = _are_whole_groups(groups, labelled) and not design.sample
    return Labels(labelled, people, np.ones(len(labelled)), whole_groups=whole)


def _are_whole_groups(groups: Ints, labelled: Ints) -> bool:
    """Whether all answers of every labelled group are labelled, and some group has several: then
    groups were chosen, not answers."""
    sizes = np.bincount(groups)
    held = np.bincount(groups[labelled], minlength=len(sizes))
    return bool(
        sizes.max() > 1
        and len(labelled) < len(groups)
        and np.isin(held, (0,)).any()
        and (held[held > 0] == sizes[held > 0]).all()
        and (sizes[held > 0] > 1).any()
    )


def design_of(
    db: sqlite3.Connection, run_id: int, prediction_ids: Sequence[int], sample: str | None
) -> Design:
    """How labels of a run were drawn: by the sample named, else by the one that holds most of
    them, if it holds more than half."""
    drawn = _sample_of(db, prediction_ids, sample)
    return Design() if drawn is None else Design(drawn.name, _places(db, run_id, drawn))


def _sample_of(
    db: sqlite3.Connection, prediction_ids: Sequence[int], name: str | None
) -> Sample | None:
    if name is not None:
        return samples.get(db, name)
    wanted = {str(one) for one in prediction_ids}
    best, most = None, len(wanted) // 2
    for sample in samples.listing(db, FORM, closed=True):
        held = sum(one.subject in wanted for one in samples.taken(db, sample))
        if held > most:
            best, most = sample, held
    return best


def _places(db: sqlite3.Connection, run_id: int, sample: Sample) -> dict[int, tuple[str, ...]]:
    """The place of each answer in a draw: its cell, then the score it was balanced over."""
    metric = sample.settings.get("metric")
    judge = sample.settings.get("judge") or None
    try:
        key = results.find_metric(db, run_id, metric, judge=judge) if metric else None
    except UsageError:
        key = None
    return {
        row.prediction: (row.task, row.topic, stratum_of(row))
        for row in candidates.predictions(db, run_id, key)
    }


def values_of_run(
    db: sqlite3.Connection,
    judge_id: int,
    answers: Sequence[RunAnswer],
    run_id: int,
    metrics: Sequence[str],
    learned: Container[str] = (),
) -> dict[str, dict[int, float]]:
    """A judge's first values of a run's answers, by metric and number; without those of groups
    that it `learned` from, of which it knows more than of the others."""
    told = {one.prediction_id for one in answers if one.group_key in learned}
    out: dict[str, dict[int, float]] = {metric: {} for metric in metrics}
    for score in judged_answers.scores(db, judge_id, metrics, run_id=run_id):
        if score.repeat == 0 and score.value is not None and score.prediction_id not in told:
            out[score.metric][score.prediction_id] = score.value
    return out


def hull(intervals: Sequence[Interval]) -> tuple[float, float] | None:
    """The ends of what the intervals reach together."""
    lows = [one.low for one in intervals if one.low is not None]
    highs = [one.high for one in intervals if one.high is not None]
    return (min(lows), max(highs)) if lows and highs else None
