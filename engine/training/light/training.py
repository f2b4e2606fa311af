"""Training a light judge on human labels, and measuring it on the cases that it did not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.calibration.calibration_records import Given, MetricCalibration, Truth
from engine.calibration.measures import Key, calibrate, paired_tests
from engine.judge.applies import known_scores
from engine.judge.base import LABELLED, Judge, compute
from engine.judge.light import folder as trained
from engine.judge.light.features import feature_matrix, texts_of
from engine.judge.light.model import LightJudge
from engine.judge.registry import check_free
from engine.judge.rules.method import RuleJudge
from engine.retrieve.index.artefacts import no_notice
from engine.statistics.inference import Settings
from engine.training.data.cases import FORM_KEY, LabelledCase, labelled_cases
from engine.training.data.sides import SPLIT_NAME, assign_sides
from engine.training.light.card import write_card
from engine.training.light.fitting import Fitted, fit_metric
from engine.training.light.report import Part, PartReport, TrainingReport
from store.errors import InputError
from store.labels import standing
from store.labels.forms import NA
from store.records import ScoreState
from store.workspace import Workspace

LEAST_CASES = 10
"""Fewer labelled answers on the training side teach nothing."""

EVALUATED: tuple[Part, ...] = ("validation", "test")


def train_light(
    workspace: Workspace,
    name: str,
    *,
    metrics: Sequence[str] = LABELLED,
    split: str = SPLIT_NAME,
    seed: int = 0,
    replace: bool = False,
    notify: Callable[[str], None] = no_notice,
) -> TrainingReport:
    """Trains the judge `name` on the training side of the labelled answers and writes it.

    Answers without a side get one now, as an export gives it. Raises InputError when there are too
    few labels, Conflict when a judge of that name exists and is not to be replaced.
    """
    trained.check_name(name)
    check_free(workspace.folder, name)
    cases = labelled_cases(workspace.db)
    placed = assign_sides(workspace, cases, name=split, seed=seed) if cases else {}
    sides: dict[str, list[LabelledCase]] = {}
    for case in cases:
        sides.setdefault(placed[case.name].side or "left out", []).append(case)
    training = sides.get("train", [])
    aided = {
        subject
        for (subject, *_), one in standing.provenance(workspace.db, FORM_KEY).items()
        if one.origin == "human_with_aids"
    }
    if len(training) < LEAST_CASES:
        raise InputError(
            f"There are {len(training)} labelled answers to train on; it takes {LEAST_CASES}.",
            "Label more answers, in a sample of them.",
            "ragdesk sample draw NAME --form judge_labels --run RUN --per-cell N",
        )
    with trained.writing(workspace.folder, name, replace=replace) as folder:
        notify("training; this takes a few seconds")
        judge, fitted, skipped = learn(training, metrics, folder)
        report = TrainingReport(
            name=name,
            folder=str(trained.trained_folder(workspace.folder) / name),
            cases={side: len(members) for side, members in sorted(sides.items())},
            labels=_distribution(training, metrics),
            with_aids=sum(case.name in aided for case in training),
            fitted=tuple(fitted),
            skipped=skipped,
            held_out=_held_out(training, fitted),
            parts=tuple(evaluate(part, sides.get(part, []), judge) for part in EVALUATED),
        )
        taught = [case.case.prediction_id for case in training]
        trained.write_judge(folder, [fit.model for fit in fitted], taught, write_card(report))
    return report


def learn(
    training: Sequence[LabelledCase], metrics: Sequence[str], folder: Path
) -> tuple[LightJudge, list[Fitted], dict[str, str]]:
    """The judge that `training` teaches, each metric's fit, and why a metric has none.

    Writes the embedding into `folder`. InputError when no metric has enough labels.
    """
    texts = list(dict.fromkeys(text for case in training for text in texts_of(case.case)))
    projector = trained.write_embedding(folder, texts)
    features = feature_matrix([case.case for case in training], projector)
    fitted, skipped = _fit(training, features, metrics)
    return LightJudge([fit.model for fit in fitted], projector), fitted, skipped


def _fit(
    training: Sequence[LabelledCase], features: Any, metrics: Sequence[str]
) -> tuple[list[Fitted], dict[str, str]]:
    fitted, skipped = [], {}
    for metric in metrics:
        rows = _taught(training, metric)
        if len(rows) < LEAST_CASES:
            skipped[metric] = f"{len(rows)} labels to train on; it takes {LEAST_CASES}"
            continue
        chosen = [training[row] for row in rows]
        labels = [case.labels[metric].name for case in chosen]
        fitted.append(fit_metric(metric, features[rows], labels, [case.group for case in chosen]))
    if not fitted:
        raise InputError(
            "No metric has enough labels to train on.",
            "; ".join(f"{metric}: {why}" for metric, why in skipped.items()) + ".",
        )
    return fitted, skipped


def _taught(training: Sequence[LabelledCase], metric: str) -> list[int]:
    """The rows that a metric is learned from: labelled, and not settled without a model."""
    return [
        row
        for row, case in enumerate(training)
        if metric in case.labels and metric not in known_scores(case.case, [metric])
    ]


def _distribution(
    training: Sequence[LabelledCase], metrics: Sequence[str]
) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for metric in metrics:
        names = [case.labels[metric].name for case in training if metric in case.labels]
        counts[metric] = {name: names.count(name) for name in sorted(set(names))}
    return counts


def _held_out(
    training: Sequence[LabelledCase], fitted: Sequence[Fitted]
) -> tuple[MetricCalibration, ...]:
    given: dict[Key, Given] = {}
    for one in fitted:
        metric = one.model.metric
        rows = _taught(training, metric) if one.folds else []
        for row, name in zip(rows, one.held_out, strict=bool(rows)):
            number = training[row].case.prediction_id
            given[number, metric] = (
                Given(ScoreState.NA, None) if name == NA else Given(ScoreState.OK, float(name))
            )
    truths = [one for one in truths_of(training) if (one.prediction_id, one.metric) in given]
    return calibrate(truths, given, by_cell=False)


def evaluate(part: Part, cases: Sequence[LabelledCase], judge: Judge) -> PartReport:
    """The judge and the rules on cases that it was not taught."""
    if not cases:
        return PartReport(part, (), (), None)
    mine = given_by(judge, cases)
    by_rules = given_by(RuleJudge(), cases)
    theirs = {key: given for key, given in by_rules.items() if key in mine}
    truths = truths_of(cases)
    (test,) = paired_tests(truths, {"judge": mine, "rules": theirs}, Settings())
    return PartReport(
        part,
        calibrate(truths, mine, by_cell=False),
        calibrate(truths, theirs, by_cell=False),
        test,
    )


def given_by(judge: Judge, cases: Sequence[LabelledCase]) -> dict[Key, Given]:
    """A judge's values of the cases, by answer and metric."""
    said = compute(judge, [case.case for case in cases], [spec.name for spec in judge.metrics])
    return {
        (case.case.prediction_id, made.score.metric): Given(made.score.state, made.score.value)
        for case, judgements in zip(cases, said, strict=True)
        for made in judgements
    }


def truths_of(cases: Sequence[LabelledCase]) -> list[Truth]:
    """People's values of the cases, as calibration takes them."""
    return [
        Truth(
            prediction_id=case.case.prediction_id,
            run_id=case.run_id,
            metric=metric,
            value="na" if label.value is None else label.value,
            source=label.source,
            group_key=case.group,
            topic=case.topic,
            task=case.task,
        )
        for case in cases
        for metric, label in case.labels.items()
    ]
