"""The axis `blame` of a run: what each of its answers is to be blamed on, read from the store."""

from __future__ import annotations

import sqlite3

from msgspec.structs import replace

from engine.judge.cases import case_of, run_corpus
from engine.judge.rules.config import JUDGE_NAME
from engine.metrics.evidence import credit, unit_grades
from engine.results import derived
from engine.results.blame import AXIS, Blamed, Stages, blame
from engine.retrieve.hidden import findable_evidence
from store.corpora.corpora import Corpus
from store.records import ScoreRow, ScoreState, SystemConfig
from store.runs import details, judged_answers, predictions, results, stages
from store.runs.details import PredictionDetail
from store.runs.results import MetricKey
from store.runs.runs import Run
from store.runs.stages import ContextValue

_METRIC, _FULL = "accuracy", 2.0
_EXACT = "em"


def axes(db: sqlite3.Connection, run_id: int) -> list[str]:
    """What the scores of a run can be laid out by: its stored axes, and what is to blame."""
    return list(dict.fromkeys([*results.axes(db, run_id), AXIS]))


def score_rows(
    db: sqlite3.Connection, run: Run, key: MetricKey, rows: str, cols: str
) -> list[ScoreRow]:
    """Every prediction of a run with its cell and its value of a metric, by any of its axes."""
    if not _is_asked(db, run.id, rows, cols):
        return derived.score_rows(db, run, key, rows, cols)
    by = blamed_run(db, run)
    plain = [_STORED_AXIS if name == AXIS else name for name in (rows, cols)]
    return [
        _placed(row, rows, cols, by[row.revision_id, row.turn, row.repeat])
        for row in derived.score_rows(db, run, key, *plain)
    ]


_STORED_AXIS = "topic"


def _is_asked(db: sqlite3.Connection, run_id: int, *names: str) -> bool:
    """Whether an axis is blame; a facet of that name goes before."""
    return AXIS in names and AXIS not in results.axes(db, run_id)


def _placed(row: ScoreRow, rows: str, cols: str, found: Blamed) -> ScoreRow:
    if rows == AXIS:
        row = replace(row, row=found.blame.value)
    return replace(row, col=found.blame.value) if cols == AXIS else row


def cell_prediction_ids(
    db: sqlite3.Connection,
    run: Run,
    metric: MetricKey,
    rows: str,
    cols: str,
    row: str | None,
    col: str | None,
    *,
    worst_is_high: bool = False,
) -> list[int]:
    """The predictions of a cell by any axes, worst value first; see the function of the store."""
    chosen = [(rows, row), (cols, col)]
    is_asked = _is_asked(db, run.id, rows, cols)
    stored = [
        (_STORED_AXIS, None) if is_asked and name == AXIS else (name, key) for name, key in chosen
    ]
    ids = results.cell_prediction_ids(
        db,
        run.id,
        metric,
        rows=stored[0][0],
        cols=stored[1][0],
        row=stored[0][1],
        col=stored[1][1],
        worst_is_high=worst_is_high,
    )
    wanted = {key for name, key in chosen if is_asked and name == AXIS and key is not None}
    if not wanted:
        return ids
    numbers = {key: one.id for key, one in predictions.by_key(db, run.id).items()}
    kept = {numbers[key] for key, one in blamed_run(db, run).items() if {one.blame.value} == wanted}
    return [number for number in ids if number in kept]


def blamed_run(db: sqlite3.Connection, run: Run) -> dict[tuple[int, int, int], Blamed]:
    """What is to blame for every prediction of a run, by revision, turn and repeat."""
    corpus = run_corpus(db, run)
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
    return blame(_stages(db, run_corpus(db, run), run.system, detail, people))


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
