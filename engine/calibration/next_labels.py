"""Draws the answers that people should label next, by chances that are known before the labels."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from engine.calibration.calibration_records import Choose, Grade
from engine.calibration.judge_values import wanted_judges
from engine.calibration.label_requests import NextDrawn, NextPlan, NextRequest
from engine.calibration.truths import FORM, truths_of
from engine.judge.base import LABELLED
from engine.labelling.drawing.drawing import answer_candidates
from engine.labelling.forms import load_form
from engine.metrics.spec import MetricSpec, normalised, resolve
from engine.statistics.chances import UNIFORM_SHARE, chances, drawn, expected_by_class
from engine.statistics.draws import all_alike
from engine.statistics.linearised import linear
from store.errors import Conflict, InputError, UsageError
from store.labels.samples import draws, samples
from store.labels.samples.draws import Chance, Draw
from store.labels.samples.samples import Assignment, Candidate, Sample
from store.messages import choices
from store.runs import judged_answers
from store.runs import runs as store_runs
from store.runs.judge_scores import StoredJudge
from store.runs.results import MetricKey
from store.workspace import Workspace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BURN_IN = 30
"""Labels that are drawn alike before any uncertainty is learned."""
FEWEST_KNOWN = 25
"""Of these, the fewest labels to learn from."""
FEWEST_VALUES = 6
"""Of the labels, the fewest with a value: where the metric applies to hardly any answer, the next
are drawn alike, too."""
DIFFERS = 4.0
"""Where the judge gives two answers different values, the squared residual is expected to be so
many times that elsewhere, until labels say more."""


class _Frame(Struct, frozen=True):
    """The candidates of a draw, those that earlier draws took among them."""

    units: list[str]
    groups: list[str]
    candidates: list[tuple[Candidate, ...]]
    """The assignments that each becomes."""
    judge: Floats
    """The judge's value of each on [0, 1], of two answers the difference; NaN without one."""
    others: Floats
    """How far other judges, or its own repeats, differ from it; 0 where none does."""
    people: Floats
    """People's value, likewise; NaN where there is none, or it does not apply."""
    labelled: NDArray[np.bool_]
    """Whether people have labelled it."""


class _Todo(Struct, frozen=True):
    """What a draw takes from."""

    frame: _Frame
    left: list[int]
    """The candidates that no earlier draw took."""
    number: int
    """To draw of them."""
    uncertainty: Floats
    """Of every candidate of the frame."""


def plan_next(workspace: Workspace, request: NextRequest) -> NextPlan:
    """What `draw_next` would draw; refuses what it refuses, and changes nothing."""
    _check(request)
    db = workspace.db
    held = _held(db, request)
    earlier = [] if held is None else draws.of_sample(db, held)
    todo = _todo(db, request, _judge_of(db, request), earlier)
    return NextPlan(todo.number, len(todo.left), not earlier)


def draw_next(workspace: Workspace, request: NextRequest) -> NextDrawn:
    """Draws answers into a sample, a new one or one that was drawn so before.

    The first draw takes up to `BURN_IN`, all as likely. Later ones take half alike, half by the
    uncertainty that the labels so far show. Raises Conflict while too few of those drawn are
    labelled, UsageError for a request that does not fit the sample.
    """
    _check(request)
    with workspace.write(durable=True) as db:
        judge = _judge_of(db, request)
        sample = _sample_of(db, request)
        earlier = draws.of_sample(db, sample)
        todo = _todo(db, request, judge, earlier)
        frame, left = todo.frame, todo.left
        wanted = chances(todo.uncertainty[left], todo.number)
        places = {int(at): place for place, at in enumerate(drawn(wanted, request.seed))}
        made = draws.add(
            db,
            sample,
            [
                Chance(
                    frame.units[at],
                    frame.groups[at],
                    float(wanted[row]),
                    float(todo.uncertainty[at]),
                    None if np.isnan(frame.judge[at]) else float(frame.judge[at]),
                    places.get(row),
                )
                for row, at in enumerate(left)
            ],
            seed=request.seed,
            rule=_rule(request, judge, is_burn_in=not earlier),
        )
        order = sorted(places, key=lambda row: places[row])
        rows = [
            Assignment(candidate, request.raters_wanted)
            for row in order
            for candidate in frame.candidates[left[row]]
        ]
        added = samples.add(db, sample, rows)
    return NextDrawn(
        sample, made, added, len(left), not earlier, float(wanted.min()), float(wanted.max())
    )


def _todo(
    db: sqlite3.Connection, request: NextRequest, judge: StoredJudge, earlier: Sequence[Draw]
) -> _Todo:
    frame = _frame(db, request, judge)
    if np.isnan(frame.judge).all():
        raise InputError(
            f"Judge {request.judge!r} has no value of {request.metric!r} there.",
            "Let it judge the run first.",
            f"ragdesk judge {request.runs[0]} --judge {request.judge}",
        )
    taken = {one.unit for draw in earlier for one in draws.chances(db, draw, drawn_only=True)}
    left = [at for at, unit in enumerate(frame.units) if unit not in taken]
    if not left:
        raise InputError("Nothing is left to draw.", "All answers are in the sample.")
    number, uncertainty = _wanted(request, frame, taken, bool(earlier))
    return _Todo(frame, left, min(number, len(left)), uncertainty)


def _check(request: NextRequest) -> None:
    if request.metric not in LABELLED:
        raise UsageError(
            f"People do not label {request.metric!r}.", choices(request.metric, LABELLED, "Metrics")
        )
    several = request.choose == "comparison"
    if len(request.runs) != 1 + several:
        raise UsageError(
            f"To choose by {request.choose} takes {'two runs' if several else 'one run'}.",
            "Name them." if several else "Name it.",
            "--run RUN RUN" if several else "--run RUN",
        )
    if several and request.runs[0] == request.runs[1]:
        raise UsageError("A run cannot be compared with itself.", "Give two runs.")
    if request.number < 1:
        raise UsageError("At least one answer is drawn.", "Say how many.", "--number N")
    if request.within is not None and not 0 < request.within < 1:
        raise UsageError("Half the width of an interval is above 0 and below 1.")


def _judge_of(db: sqlite3.Connection, request: NextRequest) -> StoredJudge:
    run = store_runs.get(db, request.runs[0])
    answers = [one.prediction_id for one in judged_answers.answers(db, run.id)]
    return wanted_judges(judged_answers.judges(db, answers), [request.judge])[0]


def _held(db: sqlite3.Connection, request: NextRequest) -> Sample | None:
    """The sample of that name, if there is one. Raises UsageError for one that was drawn
    otherwise."""
    held = {sample.name: sample for sample in samples.listing(db, closed=True)}.get(request.name)
    if held is None:
        return None
    samples.check_open(held)
    wanted = _settings(request)
    other = [name for name, value in wanted.items() if held.settings.get(name) != value]
    if held.form_key != FORM or other:
        raise UsageError(
            f"Sample {held.name!r} was drawn otherwise ({', '.join(other) or 'form'}).",
            "Draw it further with the same settings, or choose another name.",
        )
    return held


def _settings(request: NextRequest) -> dict[str, object]:
    settings: dict[str, object] = {
        "choose": request.choose,
        "runs": list(request.runs),
        "metric": request.metric,
        "judge": request.judge,
        "raters_wanted": request.raters_wanted,
    }
    return settings if request.within is None else {**settings, "within": request.within}


def _sample_of(db: sqlite3.Connection, request: NextRequest) -> Sample:
    """The sample of that name, made where there is none."""
    made = _held(db, request)
    if made is None:
        form = load_form(FORM)
        made = samples.create(db, request.name, form.key, form.subject_kind, _settings(request))
    if request.raters is not None:
        made = samples.assign(db, made, request.raters)
    if request.adjudicators is not None:
        made = samples.set_adjudicators(db, made, request.adjudicators)
    return made


def _rule(request: NextRequest, judge: StoredJudge, *, is_burn_in: bool) -> dict[str, object]:
    return {
        "choose": request.choose,
        "metric": request.metric,
        "judge": judge.name,
        "judge_hash": judge.hash,
        "uniform_share": 1.0 if is_burn_in else UNIFORM_SHARE,
        "uncertainty": "none" if is_burn_in else "labels so far, by verdict and other judges",
    }


def _wanted(
    request: NextRequest, frame: _Frame, taken: set[str], is_later: bool
) -> tuple[int, Floats]:
    """How many to draw, and the uncertainty of every candidate."""
    if not is_later:
        return min(request.number, BURN_IN), np.ones(len(frame.units))
    done = np.array([unit in taken for unit in frame.units]) & frame.labelled
    if done.sum() < min(FEWEST_KNOWN, len(taken)):
        raise Conflict(
            f"Only {int(done.sum())} of the {len(taken)} drawn in sample {request.name!r} are"
            " labelled.",
            f"Label at least {min(FEWEST_KNOWN, len(taken))}; then the next draw can learn from"
            " them.",
        )
    known = np.flatnonzero(done & ~np.isnan(frame.people))
    if len(known) < FEWEST_VALUES:
        return request.number, np.ones(len(frame.units))
    return request.number, uncertainty_of(request.choose, frame, known)


def uncertainty_of(choose: Choose, frame: _Frame, known: Ints) -> Floats:
    """The root of what is expected of every candidate: of the squared residual, or of the variance
    of agreement; learned from the candidates at `known`, by class."""
    classes = _classes(frame)
    values = np.full(len(frame.units), np.nan)
    judge = np.where(np.isnan(frame.judge), np.nanmean(frame.judge), frame.judge)
    if choose == "agreement":
        values[known] = frame.people[known] != judge[known]
        likely = expected_by_class(classes, values, np.full(len(values), np.nanmean(values)))
        return np.asarray(np.sqrt(likely * (1 - likely)))
    labels = all_alike(known, frame.people[known], len(frame.units))
    found = linear(judge, np.arange(len(frame.units)), labels)
    weight = 0.0 if found is None else found.weight
    gaps = frame.people - weight * judge
    values[known] = (gaps[known] - np.nanmean(gaps[known])) ** 2
    fallback = np.ones(len(values))
    if choose == "comparison":
        fallback = np.where(np.nan_to_num(frame.judge) != 0, DIFFERS, 1.0)
    # a judge that was right on all labels leaves only what was expected before
    fallback *= (np.nanmean(values) or 1.0) / fallback[known].mean()
    return np.sqrt(expected_by_class(classes, values, fallback))


def _classes(frame: _Frame) -> Ints:
    """By the judge's value, and whether others or its repeats differ."""
    keys = np.column_stack([np.nan_to_num(frame.judge, nan=9.0), frame.others > 0])
    _, classes = np.unique(keys, axis=0, return_inverse=True)
    return np.asarray(classes).ravel()


class _Answer(Struct, frozen=True):
    """A candidate answer with what is known of it."""

    candidate: Candidate
    judge: float
    others: float
    people: float
    is_labelled: bool


def _frame(db: sqlite3.Connection, request: NextRequest, judge: StoredJudge) -> _Frame:
    sides = [_answers(db, request, run, judge) for run in request.runs]
    first, last = sides[0], sides[-1]
    shared = [question for question in first if question in last]
    used = (first, last) if request.choose == "comparison" else (first,)
    pairs = [tuple(side[question] for side in used) for question in shared]
    return _Frame(
        [":".join(one.candidate.subject for one in pair) for pair in pairs],
        [pair[0].candidate.group_key for pair in pairs],
        [tuple(one.candidate for one in pair) for pair in pairs],
        np.array([_gap([one.judge for one in pair]) for pair in pairs]),
        np.array([max(one.others for one in pair) for pair in pairs]),
        np.array([_gap([one.people for one in pair]) for pair in pairs]),
        np.array([all(one.is_labelled for one in pair) for pair in pairs]),
    )


def _gap(values: Sequence[float]) -> float:
    """The value itself, or the first minus the second."""
    return values[0] - values[1] if len(values) > 1 else values[0]


def _answers(
    db: sqlite3.Connection, request: NextRequest, run_name: str, judge: StoredJudge
) -> dict[tuple[str, int], _Answer]:
    """The answers of a run by item and turn."""
    run = store_runs.get(db, run_name)
    spec = resolve(request.metric)
    candidates = {one.subject: one for one in answer_candidates(db, load_form(FORM), run.name)}
    answers = judged_answers.answers(db, run.id, MetricKey(request.metric, "standard", judge.id))
    numbers = [one.prediction_id for one in answers]
    truths, _ = truths_of(db, [run.name], None, request.metric)
    people = {truth.prediction_id: truth.value for truth in truths}
    of_judge: dict[int, float] = {}
    spread: dict[int, list[float]] = {}
    for other in judged_answers.judges(db, numbers):
        for score in judged_answers.scores(db, other.id, [request.metric], run_id=run.id):
            if score.value is None or (score.repeat and other.id != judge.id):
                continue
            value = normalised(spec, score.value)
            spread.setdefault(score.prediction_id, []).append(value)
            if other.id == judge.id and score.repeat == 0:
                of_judge[score.prediction_id] = value
    return {
        (one.item_key, one.turn): _Answer(
            candidates[str(one.prediction_id)],
            of_judge.get(one.prediction_id, np.nan),
            float(np.ptp(spread.get(one.prediction_id, [0.0]))),
            _value(people, one.prediction_id, spec),
            one.prediction_id in people,
        )
        for one in answers
    }


def _value(people: Mapping[int, Grade], prediction_id: int, spec: MetricSpec) -> float:
    value = people.get(prediction_id, "na")
    return np.nan if value == "na" else normalised(spec, float(value))
