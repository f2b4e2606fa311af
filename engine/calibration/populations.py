"""A run's answers with a judge's values and people's labels, as the estimators read them."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from engine.calibration.calibration_records import Truth
from engine.calibration.truths import FORM
from engine.labelling.drawing.drawing import stratum_of
from engine.metrics.spec import normalised, resolve
from engine.statistics.draws import Labels, label_weights, variance_strata
from engine.statistics.inference import Interval
from store.errors import UsageError
from store.labels.samples import candidates, draws, samples
from store.labels.samples.samples import Sample
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
    batches: tuple[Mapping[int, float], ...] = ()
    """For each draw by known chances those of the answers that it drew, in order."""

    def drew(self, prediction_id: int) -> bool:
        """Whether a draw by known chances took an answer."""
        return any(prediction_id in batch for batch in self.batches)


def stands_for(design: Design, labelled: Container[int]) -> dict[int, tuple[float, float]]:
    """For each labelled answer of the draws by chances: the number of answers that it stands for,
    and the factor of its squared residual in the variance.

    A later draw is from what the earlier ones left, by chances that their labels decided. It
    estimates the whole run too, as those earlier stand for themselves there; the estimates are
    joined with weights that go by the numbers of labels, not by values. Answers that were drawn but
    are not labelled are taken as missing at random: draws are in random order.
    """
    batches = [
        (batch, held)
        for batch in design.batches
        if (held := [one for one in batch if one in labelled])
    ]
    total = sum(len(held) for _, held in batches)
    out: dict[int, tuple[float, float]] = {}
    later = 1.0
    for batch, held in batches:
        share, whole = len(held) / total, len(batch) / len(held)
        later -= share
        for one in held:
            chance = batch[one] / whole
            weight = share / chance + max(later, 0.0) * whole
            out[one] = (weight, share**2 * (1 - chance) / chance**2)
    return out


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
    if design.batches:
        # what nobody drew has no chance, so that it stands for nothing
        given = {one: grade for one, grade in given.items() if design.drew(one)}
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
    if design.batches:
        stands = stands_for(design, given)
        drawn = [stands[answers[at].prediction_id] for at in labelled]
        weights = np.array([weight for weight, _ in drawn])
        # one draw of equal chances is as good as any
        spread = np.array([part for _, part in drawn]) if np.ptp(weights) > 1e-9 else None
        labels = Labels(places, np.array(people), weights, spread)
    else:
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
    if drawn is None:
        return Design()
    batches = _batches(db, drawn)
    if not batches:
        return Design(drawn.name, _places(db, run_id, drawn))
    return Design(drawn.name, batches=batches)


def _batches(db: sqlite3.Connection, sample: Sample) -> tuple[dict[int, float], ...]:
    """The chances of the answers that each draw of a sample took; none of one drawn by quota."""
    return tuple(
        {
            int(id): one.chance
            for one in draws.chances(db, draw, drawn_only=True)
            for id in one.subjects
        }
        for draw in draws.of_sample(db, sample)
    )


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


def label_chances(
    db: sqlite3.Connection, truths: Sequence[Truth], sample: str | None
) -> dict[int, float] | None:
    """The number of answers that the labels of each answer stand for, by number, where any were
    drawn by chances; labels of answers that these did not take are not among them. None where all
    count alike."""
    if not draws.has_any(db):
        return None
    out: dict[int, float] = {}
    is_uneven = False
    for run_id in sorted({truth.run_id for truth in truths}):
        mine = {truth.prediction_id for truth in truths if truth.run_id == run_id}
        drawn = _sample_of(db, sorted(mine), sample)
        batches = () if drawn is None else _batches(db, drawn)
        size = len(judged_answers.answers(db, run_id))
        if batches:
            is_uneven = True
            stands = stands_for(Design(batches=batches), mine)
            total = sum(weight for weight, _ in stands.values())
            out |= {one: weight * size / total for one, (weight, _) in stands.items()}
        else:
            out |= dict.fromkeys(mine, size / len(mine))
    return out if is_uneven else None
