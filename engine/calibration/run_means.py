"""The mean that people would give each run: the judge's, corrected by labels, from the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from engine.calibration.calibration_records import Disputed, RunMean, Truth
from engine.calibration.truths import FORM
from engine.judge.base import LABELLED
from engine.labelling.drawing import stratum_of
from engine.metrics.spec import normalised, resolve
from engine.statistics.inference import Powered
from engine.statistics.prediction_powered import label_weights, powered_mean
from store.errors import UsageError
from store.labels import candidates, samples
from store.labels.samples import Sample
from store.runs import judged_answers, results
from store.runs import runs as store_runs
from store.runs.judge_scores import StoredJudge


def run_means(
    db: sqlite3.Connection,
    judge: StoredJudge,
    truths: Sequence[Truth],
    disputed: Sequence[Disputed],
    sample: str | None,
) -> list[RunMean]:
    """The estimated means of every run and metric with labels; with what conflicts could change."""
    means = []
    for run_id in sorted({truth.run_id for truth in truths}):
        mine = [truth for truth in truths if truth.run_id == run_id]
        run = store_runs.get(db, run_id)
        population = judged_answers.answers(db, run_id)
        drawn = _sample_of(db, [truth.prediction_id for truth in mine], sample)
        strata = _strata(db, run_id, drawn) if drawn is not None else {}
        metrics = [metric for metric in LABELLED if any(one.metric == metric for one in mine)]
        values = {
            (score.prediction_id, score.metric): score.value
            for score in judged_answers.scores(db, judge.id, metrics, run_id=run_id)
            if score.repeat == 0 and score.value is not None
        }
        for metric in metrics:
            settled = [truth for truth in mine if truth.metric == metric]
            open_here = [
                one
                for one in disputed
                if (one.lowest.run_id, one.lowest.metric) == (run_id, metric)
            ]
            given = {place: value for (place, name), value in values.items() if name == metric}
            powered, lowest, highest = (
                _powered(metric, [*settled, *more], population, given, strata)
                for more in (
                    [],
                    [one.lowest for one in open_here],
                    [one.highest for one in open_here],
                )
            )
            if powered is not None:
                by = drawn.name if drawn is not None else ""
                bounds = _bounds([powered, lowest, highest]) if open_here else None
                means.append(RunMean(run.name, metric, by, powered, len(open_here), bounds))
    return means


def _bounds(estimates: Sequence[Powered | None]) -> tuple[float, float] | None:
    """The ends of what the intervals of the estimates reach together."""
    lows = [one.low for one in estimates if one is not None and one.low is not None]
    highs = [one.high for one in estimates if one is not None and one.high is not None]
    return (min(lows), max(highs)) if lows and highs else None


def _powered(
    metric: str,
    labels: Sequence[Truth],
    population: Mapping[int, str],
    values: Mapping[int, float],
    strata: Mapping[int, tuple[str, ...]],
) -> Powered | None:
    """None when none of the run's first answers is labelled, or the judge has judged none."""
    spec = resolve(metric)
    truths = {truth.prediction_id: truth for truth in labels}
    order = list(population)
    labelled = [place for place, answer in enumerate(order) if answer in truths]
    if not labelled or not values:
        return None
    numbers = {group: at for at, group in enumerate(sorted(set(population.values())))}
    people = [truths[order[place]].value for place in labelled]
    nothing = float("nan")
    return powered_mean(
        np.array(
            [normalised(spec, values[one]) if one in values else nothing for one in order],
            dtype=np.float64,
        ),
        np.array([numbers[group] for group in population.values()], dtype=np.int64),
        np.array(labelled, dtype=np.int64),
        np.array([nothing if v == "na" else normalised(spec, float(v)) for v in people]),
        label_weights([strata.get(one, ()) for one in order], labelled) if strata else None,
    )


def _sample_of(
    db: sqlite3.Connection, prediction_ids: Sequence[int], name: str | None
) -> Sample | None:
    """The sample that the labels were drawn by: the one named, else the one that holds most of
    them; none when none holds more than half."""
    if name is not None:
        return samples.get(db, name)
    wanted = {str(one) for one in prediction_ids}
    best, most = None, len(wanted) // 2
    for sample in samples.listing(db, FORM):
        held = sum(one.subject in wanted for one in samples.taken(db, sample))
        if held > most:
            best, most = sample, held
    return best


def _strata(db: sqlite3.Connection, run_id: int, sample: Sample) -> dict[int, tuple[str, ...]]:
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
