"""Judges calibrated against people's labels, read from the store.

Nothing of a calibration is stored: it follows from labels and scores, and both say what they
belong to. Scores carry the hash of their judge's configuration, so that a calibration holds for
that configuration alone; it is `stale` when the judge is defined otherwise now.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.agreement.intervals import RESAMPLES
from engine.calibration.measures import Key, calibrate, paired_tests
from engine.calibration.powered import label_weights, powered_mean
from engine.calibration.records import (
    Calibration,
    Given,
    JudgeCalibration,
    Powered,
    RunMean,
    Standing,
    Truth,
)
from engine.forms import load_form
from engine.judge.judges import judges as configured_judges
from engine.judge.rules import METRICS
from engine.judge.trust import JudgeTrust
from engine.judge_data.cases import human_label
from engine.labelling.drawing import stratum_of
from engine.metrics.spec import normalised, resolve
from store import judged_answers, judging, label_candidates, label_review, label_samples, results
from store import runs as store_runs
from store.errors import InputError, NotFound, UsageError
from store.judged_answers import AnswerPlace
from store.judging import StoredJudge
from store.label_review import Settled
from store.label_samples import Sample
from store.results import MetricKey
from store.workspace import Workspace

FORM = "judge_labels"


def calibrate_judges(
    workspace: Workspace,
    *,
    runs: Sequence[str] = (),
    sample: str | None = None,
    judges: Sequence[str] = (),
    metric: str | None = None,
    resamples: int = RESAMPLES,
) -> Calibration:
    """Every judge of labelled answers against people: of some runs, of a sample, or of all.

    `judges` are `NAME` or `NAME@HASH`; by default the newest configuration of each that has
    scored any of the answers. Raises NotFound for an unknown run, sample or judge, InputError when
    nothing is labelled.
    """
    if metric is not None and metric not in METRICS:
        raise UsageError(f"Nobody labels {metric!r}.", f"The metrics are {', '.join(METRICS)}.")
    db = workspace.db
    truths, conflicts = _truths(db, runs, sample, metric)
    if not truths:
        where = f"sample {sample!r}" if sample else ", ".join(runs) or "this workspace"
        raise InputError(
            f"No answer of {where} has a label that holds.",
            "Label some first: ragdesk sample draw NAME --form judge_labels --run RUN --per-cell N",
        )
    found = _wanted(judged_answers.judges(db, _answers(truths)), judges)
    configured = {one.name: one.hash for one in configured_judges(workspace.folder).values()}
    given: dict[str, Mapping[Key, Given]] = {}
    kept: dict[str, list[Truth]] = {}
    out = []
    places = judged_answers.places(db, _answers(truths))
    for judge in found:
        unseen = _unseen(truths, judge, places)
        kept[judge.label] = unseen
        given[judge.label], steady = _given(db, judge, unseen)
        out.append(
            JudgeCalibration(
                judge=judge.label,
                name=judge.name,
                hash=judge.hash,
                kind=judge.kind,
                standing=_standing(judge, configured),
                prompts=prompt_hashes(judge.config),
                shown=len(truths) - len(unseen),
                steady=steady,
                metrics=calibrate(unseen, given[judge.label], resamples=resamples),
                means=tuple(_means(db, judge, unseen, sample)),
            )
        )
    common = [truth for truth in truths if all(truth in held for held in kept.values())]
    return Calibration(
        answers=len(_answers(truths)),
        labels=len(truths),
        sources=dict(Counter(truth.source for truth in truths)),
        conflicts=conflicts,
        groups=len({truth.group_key for truth in truths}),
        judges=tuple(out),
        tests=paired_tests(common, given),
    )


def judge_trust(db: sqlite3.Connection, metric: MetricKey) -> JudgeTrust | None:
    """How far the judge behind a metric agrees with people, over all labelled answers.

    None for a metric without a judge, and where nobody has labelled what the judge has scored.
    """
    if not metric.judge_id or metric.name not in METRICS:
        return None
    if not judged_answers.has_labels(db, FORM):
        return None
    truths, _ = _truths(db, (), None, metric.name)
    mine = judging.get(db, metric.judge_id)
    others = [
        judge
        for judge in judged_answers.judges(db, _answers(truths))
        if judge.name == mine.name and judge.id != mine.id
    ]
    places = judged_answers.places(db, _answers(truths))
    for judge in (mine, *reversed(others)):
        unseen = _unseen(truths, judge, places)
        given, _ = _given(db, judge, unseen)
        for one in calibrate(unseen, given, resamples=0, by_cell=False):
            if one.metric == metric.name and one.n:
                stale = judge.id != mine.id
                return JudgeTrust(mine.name, one.kappa.value, one.n, stale)
    return None


def prompt_hashes(config: Mapping[str, Any]) -> dict[str, str]:
    """The hashes of the templates in a judge's configuration, by `LANG/ID`."""
    from store.hashing import content_hash

    texts: Mapping[str, str] = config.get("prompts", {})
    return {id: content_hash(text) for id, text in texts.items()}


def _truths(
    db: sqlite3.Connection, run_names: Sequence[str], sample: str | None, metric: str | None
) -> tuple[list[Truth], int]:
    """What holds of people's labels, and how many labels are in conflict."""
    form = load_form(FORM)
    wanted_runs = {store_runs.get(db, name).id for name in run_names}
    inside = _sampled(db, sample) if sample is not None else None
    settled = [
        one
        for one in label_review.settled(db, form)
        if one.field in METRICS
        and metric in (None, one.field)
        and (inside is None or one.subject.id in inside)
    ]
    places = judged_answers.places(db, (one.subject.numbers[0] for one in settled))
    truths, conflicts = [], 0
    for one in settled:
        place = places.get(one.subject.numbers[0])
        if place is None or (wanted_runs and place.run_id not in wanted_runs):
            continue
        truth = _truth(one, place)
        if truth is None:
            conflicts += 1
        else:
            truths.append(truth)
    return truths, conflicts


def _sampled(db: sqlite3.Connection, name: str) -> set[str]:
    sample = label_samples.get(db, name)
    if sample.form_key != FORM:
        raise InputError(
            f"Sample {name!r} is of form {sample.form_key!r}.",
            f"Judges are calibrated on labels of form {FORM!r}.",
        )
    return {candidate.subject for candidate in label_samples.taken(db, sample)}


def _truth(one: Settled, place: AnswerPlace) -> Truth | None:
    """What people say together of one metric of an answer; None where they do not."""
    label = human_label(one)
    if label is None:
        return None
    return Truth(
        place.prediction_id,
        place.run_id,
        one.field,
        "na" if label.value is None else label.value,
        label.source,
        place.group_key,
        place.topic,
        place.task,
    )


def _answers(truths: Sequence[Truth]) -> list[int]:
    return sorted({truth.prediction_id for truth in truths})


def _wanted(have: Sequence[StoredJudge], names: Sequence[str]) -> list[StoredJudge]:
    if not names:
        names = list(dict.fromkeys(judge.name for judge in have))
    found: list[StoredJudge] = []
    for name in names:
        chosen = judging.choose(have, name)
        if not chosen:
            known = ", ".join(judge.label for judge in have) or "none"
            raise NotFound(
                f"No judge {name!r} has scored a labelled answer.", f"These have: {known}."
            )
        found += [judge for judge in chosen if judge not in found]
    return found


def _unseen(
    truths: Sequence[Truth], judge: StoredJudge, places: Mapping[int, AnswerPlace]
) -> list[Truth]:
    """Without the answers whose values the judge was told, as examples or in training."""
    shown = {(one["question"], one["answer"]) for one in judge.config.get("examples", ())}
    taught = set(judge.config.get("trained_on", ()))
    if not shown:
        return [truth for truth in truths if truth.prediction_id not in taught]
    return [
        truth
        for truth in truths
        if (places[truth.prediction_id].question, places[truth.prediction_id].answer) not in shown
    ]


def _given(
    db: sqlite3.Connection, judge: StoredJudge, truths: Sequence[Truth]
) -> tuple[dict[Key, Given], float | None]:
    """The judge's first value of each label, and how often its repeats agree."""
    wanted = {(truth.prediction_id, truth.metric) for truth in truths}
    repeats: dict[Key, list[Given]] = {}
    metrics = sorted({truth.metric for truth in truths})
    for score in judged_answers.scores(db, judge.id, metrics, prediction_ids=_answers(truths)):
        key = (score.prediction_id, score.metric)
        if key in wanted:
            repeats.setdefault(key, []).append(Given(score.state, score.value))
    several = [found for found in repeats.values() if len(found) > 1]
    steady = (
        sum(all(one == found[0] for one in found) for found in several) / len(several)
        if several
        else None
    )
    return {key: found[0] for key, found in repeats.items()}, steady


def _standing(judge: StoredJudge, configured: Mapping[str, str]) -> Standing:
    if judge.kind == "imported":
        return "imported"
    if judge.name not in configured:
        return "not configured"
    return "current" if configured[judge.name] == judge.hash else "stale"


def _means(
    db: sqlite3.Connection, judge: StoredJudge, truths: Sequence[Truth], sample: str | None
) -> list[RunMean]:
    """The estimated means of every run and metric with labels."""
    found = []
    for run_id in sorted({truth.run_id for truth in truths}):
        mine = [truth for truth in truths if truth.run_id == run_id]
        run = store_runs.get(db, run_id)
        population = judged_answers.answers(db, run_id)
        drawn = _sample_of(db, [truth.prediction_id for truth in mine], sample)
        strata = _strata(db, run_id, drawn) if drawn is not None else {}
        metrics = [metric for metric in METRICS if any(one.metric == metric for one in mine)]
        values = {
            (score.prediction_id, score.metric): score.value
            for score in judged_answers.scores(db, judge.id, metrics, run_id=run_id)
            if score.repeat == 0 and score.value is not None
        }
        for metric in metrics:
            powered = _powered(
                metric,
                {truth.prediction_id: truth for truth in mine if truth.metric == metric},
                population,
                {place: value for (place, name), value in values.items() if name == metric},
                strata,
            )
            if powered is not None:
                by = drawn.name if drawn is not None else ""
                found.append(RunMean(run.name, metric, by, powered))
    return found


def _powered(
    metric: str,
    truths: Mapping[int, Truth],
    population: Mapping[int, str],
    values: Mapping[int, float],
    strata: Mapping[int, tuple[str, ...]],
) -> Powered | None:
    """None when none of the run's first answers is labelled, or the judge has judged none."""
    spec = resolve(metric)
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
        return label_samples.get(db, name)
    wanted = {str(one) for one in prediction_ids}
    best, most = None, len(wanted) // 2
    for sample in label_samples.listing(db, FORM):
        held = sum(one.subject in wanted for one in label_samples.taken(db, sample))
        if held > most:
            best, most = sample, held
    return best


def _strata(db: sqlite3.Connection, run_id: int, sample: Sample) -> dict[int, tuple[str, ...]]:
    """Where a draw looked for each answer: its cell, then the score it was balanced over."""
    metric = sample.settings.get("metric")
    judge = sample.settings.get("judge") or None
    try:
        key = results.find_metric(db, run_id, metric, judge=judge) if metric else None
    except (NotFound, InputError):
        key = None
    return {
        row.prediction: (row.task, row.topic, stratum_of(row))
        for row in label_candidates.predictions(db, run_id, key)
    }
