"""Answers with what people said of them, as the store has it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct

from engine.judge.base import Case
from engine.judge.cases import case_of
from engine.labelling.forms import find_form
from engine.labelling.human_label import HumanLabel, human_label
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.labels import consensus
from store.labels.consensus import Settled
from store.labels.forms import Form
from store.labels.log import reading
from store.labels.log.events import Subject
from store.runs import details, runs
from store.runs.details import PredictionDetail
from store.runs.runs import Run

FORM_KEY = "judge_labels"


def metrics_of(form: Form) -> tuple[str, ...]:
    """The fields of a form about answers that a judge could give values of: its scales."""
    return tuple(field.key for field in form.fields if field.kind == "scale")


def has_raters(label: HumanLabel, least: int) -> bool:
    """Whether at least so many raters gave a label, or somebody ruled on it, or the form itself
    gives it."""
    return label.source in ("adjudicated", "not_applicable") or len(label.raters) >= least


class LabelledCase(Struct, frozen=True):
    """An answer, where it stands, and its labels."""

    case: Case
    labels: Mapping[str, HumanLabel]
    """By metric, those that are settled."""
    conflicts: tuple[str, ...]
    """Metrics on which raters differ, none of their values has most of them behind it, and nobody
    has ruled."""
    run_id: int
    run: str
    system: str
    dataset: str
    item_key: str
    turn: int
    repeat: int
    topic: str
    task: str

    @property
    def name(self) -> str:
        """Of the answer, in splits and exports; stable as long as the workspace."""
        return str(self.case.prediction_id)

    @property
    def group(self) -> str:
        """The question: answers to one question, and the turns of one dialogue, stay together."""
        return f"{self.dataset}/{self.item_key}"


class _AnsweredRun(NamedTuple):
    """A run with the name of its dataset and the corpus that it retrieved from."""

    run: Run
    dataset: str
    corpus: Corpus


def labelled_cases(db: sqlite3.Connection, *, form_key: str = FORM_KEY) -> list[LabelledCase]:
    """Every answer that a rater has completed with a form, by number. Hidden repeats are left
    out."""
    form = find_form(db, form_key)
    cases = []
    answered: dict[int, _AnsweredRun] = {}
    for subject, given in groupby(consensus.settled(db, form), key=lambda settled: settled.subject):
        detail = details.prediction(db, subject.numbers[0])
        if detail.run_id not in answered:
            run = runs.get(db, detail.run_id)
            dataset = datasets.of_release(db, run.release_id)
            corpus = corpora.get_by_id(db, dataset.corpus_id)
            answered[run.id] = _AnsweredRun(run, dataset.name, corpus)
        cases.append(_case(db, form, answered[detail.run_id], detail, subject, list(given)))
    return cases


def _case(
    db: sqlite3.Connection,
    form: Form,
    answered: _AnsweredRun,
    detail: PredictionDetail,
    subject: Subject,
    given: list[Settled],
) -> LabelledCase:
    metrics = metrics_of(form)
    outside = reading.sampled(db, form.key, subject).not_applicable
    labels = {
        metric: HumanLabel(None, "not_applicable", ()) for metric in metrics if metric in outside
    }
    conflicts = []
    for settled in given:
        if settled.field not in metrics:
            continue
        label = human_label(settled)
        if label is None:
            conflicts.append(settled.field)
        else:
            labels[settled.field] = label
    return LabelledCase(
        case=case_of(db, answered.corpus, answered.run.system, detail),
        labels={metric: labels[metric] for metric in metrics if metric in labels},
        conflicts=tuple(conflicts),
        run_id=detail.run_id,
        run=detail.run_name,
        system=detail.system_name,
        dataset=answered.dataset,
        item_key=detail.item_key,
        turn=detail.turn,
        repeat=detail.repeat,
        topic=detail.content.topic,
        task=detail.content.task,
    )
