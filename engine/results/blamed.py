"""What each answer of a run is to be blamed on, read from the store."""

from __future__ import annotations

import sqlite3

from msgspec.structs import replace

from engine.judge.cases import case_of
from engine.judge.rules.config import JUDGE_NAME
from engine.metrics.evidence import credit, unit_grades
from engine.results.blame import Blamed, Stages, blame
from engine.retrieve.hidden import findable_evidence
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.records import ScoreState
from store.runs import details, judged_answers, predictions, stages
from store.runs.details import PredictionDetail
from store.runs.predictions import PredictionKey
from store.runs.runs import Run
from store.runs.stages import ContextValue
from store.systems import SystemConfig

_METRIC, _FULL = "accuracy", 2.0
_EXACT = "em"


def by_blame(db: sqlite3.Connection, run: Run) -> dict[PredictionKey, str]:
    """What is to blame for every prediction of a run, by name: an axis of matrices."""
    return {key: one.blame.value for key, one in blamed_run(db, run).items()}


def blamed_run(db: sqlite3.Connection, run: Run) -> dict[PredictionKey, Blamed]:
    """What is to blame for every prediction of a run, by revision, turn and repeat."""
    corpus = datasets.corpus_of(db, run.release_id)
    people = _people(db, run.name)
    return {
        key: blame(
            _stages(db, corpus, run.system, details.prediction(db, one.id), people.get(one.id))
        )
        for key, one in predictions.by_key(db, run.id).items()
    }


def blamed_prediction(db: sqlite3.Connection, run: Run, detail: PredictionDetail) -> Blamed:
    """What is to blame for one prediction of a run."""
    people = _people(db, run.name, detail.id).get(detail.id)
    return blame(_stages(db, datasets.corpus_of(db, run.release_id), run.system, detail, people))


def _people(db: sqlite3.Connection, run: str, prediction_id: int | None = None) -> dict[int, bool]:
    """Whether people give the answers of a run full marks, by the number of the prediction; all of
    them, or the one of a number."""
    # the forms, which hardly a run has labels of
    from engine.calibration.truths import FORM, truths_of

    if not judged_answers.has_labels(db, FORM):
        return {}
    truths, _ = truths_of(db, (run,), None, _METRIC, prediction_id)
    return {truth.prediction_id: truth.value == _FULL for truth in truths}


def _stages(
    db: sqlite3.Connection,
    corpus: Corpus,
    system: SystemConfig,
    detail: PredictionDetail,
    by_people: bool | None,
) -> Stages:
    """What is known of a prediction; texts are read only for an answer that is wrong."""
    given = {
        one.judge: one.score.value
        for one in detail.scores
        if one.score.metric == _METRIC and one.score.state is ScoreState.OK
    }
    full = {judge for judge, value in given.items() if value == _FULL}
    by_rules = JUDGE_NAME in full if JUDGE_NAME in given else None
    turn = detail.content.turns[detail.turn]
    known = Stages(detail.content.lang, turn.golden_answers, by_rules)
    if detail.answer is None or by_rules is None or (by_rules and by_people is not False):
        return known
    if by_people is None:
        exact = any(
            (one.score.metric, one.score.variant, one.score.value) == (_EXACT, "standard", 1.0)
            for one in detail.scores
        )
        others = (*sorted(full), *([_EXACT] if exact else []))
    else:
        others = ("people",) if by_people else ()
    case = case_of(db, corpus, system, detail)
    units = findable_evidence(db, corpus, detail.content, detail.turn)
    hits = detail.hits or ()
    last = len(system.context)
    shown = case.passages
    if last:
        name = f"context/{last}/{system.context[-1].name}"
        value: ContextValue | None = stages.get(db, detail.id, name, ContextValue)
        shown = shown if value is None else value.passages
    return replace(
        known,
        full_marks=False,
        full_marks_by=others,
        retrieves=not case.closed_book,
        evidence=tuple(passage.text for passage in case.evidence),
        missed=len(unit_grades(units)) - sum(map(len, credit(hits, units))),
        read="\n".join(passage.text for passage in shown),
    )
