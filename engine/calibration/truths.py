"""People's values of answers: the labels that hold, read from the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from engine.calibration.calibration_records import Disputed, Grade, Truth
from engine.judge.base import LABELLED
from engine.labelling.forms import load_form
from engine.labelling.human_label import LabelSource, human_label
from store.errors import UsageError
from store.labels import consensus, standing
from store.labels.consensus import Settled
from store.labels.forms import NA
from store.labels.log.events import Subject
from store.labels.samples import samples
from store.runs import judged_answers
from store.runs import runs as store_runs
from store.runs.judged_answers import AnswerPlace

FORM = "judge_labels"


def truths_of(
    db: sqlite3.Connection,
    run_names: Sequence[str],
    sample: str | None,
    metric: str | None,
    prediction_id: int | None = None,
) -> tuple[list[Truth], list[Disputed]]:
    """The labels of people that hold, and those in conflict; those of one answer where its number
    is given."""
    form = load_form(FORM)
    wanted_runs = {store_runs.get(db, name).id for name in run_names}
    subject = None if prediction_id is None else Subject("prediction", str(prediction_id))
    inside = _sampled(db, sample) if sample is not None else None
    settled = [
        label
        for label in consensus.settled(db, form, subject=subject)
        if label.field in LABELLED
        and metric in (None, label.field)
        and (inside is None or label.subject.id in inside)
    ]
    places = judged_answers.places(db, (label.subject.numbers[0] for label in settled))
    truths, disputed = [], []
    for label in settled:
        place = places.get(label.subject.numbers[0])
        if place is None or (wanted_runs and place.run_id not in wanted_runs):
            continue
        truth = _truth(label, place)
        if truth is None:
            disputed.append(_disputed(label, place))
        else:
            truths.append(truth)
    return truths, disputed


def with_aids(db: sqlite3.Connection, truths: Sequence[Truth]) -> int:
    """How many of the labels a rater gave with the comparison to the golden answer in sight."""
    aided = {
        (subject, field)
        for (subject, field, _), one in standing.provenance(db, FORM).items()
        if one.origin == "human_with_aids"
    }
    return sum((str(truth.prediction_id), truth.metric) in aided for truth in truths)


def _sampled(db: sqlite3.Connection, name: str) -> set[str]:
    sample = samples.get(db, name)
    if sample.form_key != FORM:
        raise UsageError(
            f"Sample {name!r} is of form {sample.form_key!r}.",
            f"Judges are calibrated on labels of form {FORM!r}.",
        )
    return {candidate.subject for candidate in samples.taken(db, sample)}


def _truth(settled: Settled, place: AnswerPlace) -> Truth | None:
    """People's common value of one metric of an answer; None where they have none."""
    human = human_label(settled)
    if human is None:
        return None
    value: Grade = "na" if human.value is None else human.value
    return _placed(settled, place, value, human.source)


def _disputed(conflict: Settled, place: AnswerPlace) -> Disputed:
    # raters who differ do not all say that it does not apply
    grades = [int(str(one.value)) for one in conflict.raters if one.value != NA]
    return Disputed(
        _placed(conflict, place, min(grades), "majority"),
        _placed(conflict, place, max(grades), "majority"),
    )


def _placed(settled: Settled, place: AnswerPlace, value: Grade, source: LabelSource) -> Truth:
    return Truth(
        place.prediction_id,
        place.run_id,
        settled.field,
        value,
        source,
        place.group_key,
        place.topic,
        place.task,
    )


def answers_of(truths: Sequence[Truth]) -> list[int]:
    """The numbers of the answers that are labelled, each once."""
    return sorted({truth.prediction_id for truth in truths})
