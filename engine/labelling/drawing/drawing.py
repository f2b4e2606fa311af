"""Drawing samples from a workspace: items to inspect, answers to label, pairs to compare."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from msgspec import Struct

from engine.labelling.drawing.sampling import Cell, cell_of, draw, shortfall, with_repeats
from engine.labelling.forms import (
    fields_not_applicable,
    find_form,
    prediction_facts,
    revision_facts,
)
from store.datasets import datasets
from store.errors import InputError, NotFound, UsageError
from store.labels import forms
from store.labels.forms import Form
from store.labels.log.authoring import is_authoring
from store.labels.samples import candidates as label_candidates
from store.labels.samples import samples
from store.labels.samples.candidates import PredictionRow
from store.labels.samples.samples import Candidate, Sample
from store.records import ItemState
from store.runs import results, runs
from store.workspace import Workspace


class SampleRequest(Struct, frozen=True, omit_defaults=True):
    """What to draw. Items come of `dataset`, answers of `runs`, pairs of two runs."""

    name: str
    form: str
    per_cell: int
    dataset: str = ""
    states: tuple[ItemState, ...] = (ItemState.DRAFTED,)
    runs: tuple[str, ...] = ()
    metric: str = ""
    """A score whose values the answers are balanced over, so that rare ones occur."""
    judge: str = ""
    raters_wanted: int = 1
    repeat_share: float = 0.0
    seed: int = 0
    raters: tuple[str, ...] | None = None
    """Who labels it, nobody for whoever comes; null leaves an existing sample to whom it is."""
    adjudicators: tuple[str, ...] | None = None
    """Who rules on its conflicts, likewise; nobody for whoever has not labelled the subject."""
    aids: bool = False
    """Whether raters may see before their label how an answer compares with the golden one."""


class CellPlan(Struct, frozen=True):
    """What drawing would do to a cell."""

    topic: str
    task: str
    candidates: int
    """That there are, those that the sample holds among them."""
    held: int
    added: int

    @property
    def subjects(self) -> int:
        """That the sample will hold of the cell, without hidden repeats."""
        return self.held + self.added


class Plan(Struct, frozen=True):
    """What a draw would do, by topic and task."""

    cells: tuple[CellPlan, ...]
    repeats: int
    """Hidden repeats that would come with it."""
    is_new: bool
    """Whether there is no sample of that name yet."""

    @property
    def added(self) -> int:
        return sum(cell.added for cell in self.cells)


class Drawn(Struct, frozen=True):
    sample: Sample
    added: int
    """Assignments that came, hidden repeats included."""
    subjects: int
    """Subjects that the sample holds now, without hidden repeats."""
    short: dict[Cell, int]
    """Cells that have not candidates enough, with how many they lack."""


def draw_sample(workspace: Workspace, request: SampleRequest) -> Drawn:
    """Draws a sample, or draws an existing one of that name further: what it holds stays, and
    only cells below the quota get more. UsageError when the name belongs to another form."""
    form = _checked(workspace, request)
    with workspace.write(durable=True) as db:
        candidates = _candidates(workspace, form, request)
        sample = _existing(workspace, request)
        forms.register(db, form)
        if sample is None:
            _check_candidates(workspace, request, candidates)
            sample = samples.create(
                db,
                request.name,
                form.key,
                form.subject_kind,
                _settings(request),
                aids=request.aids,
            )
        taken = samples.taken(db, sample)
        if request.raters is not None:
            sample = samples.assign(db, sample, request.raters)
        if request.adjudicators is not None:
            sample = samples.set_adjudicators(db, sample, request.adjudicators)
        fresh = draw(candidates, request.per_cell, request.seed, taken)
        rows = with_repeats(fresh, request.raters_wanted, request.repeat_share, request.seed)
        added = samples.add(db, sample, rows)
        short = shortfall(candidates, request.per_cell, taken)
    return Drawn(sample, added, len(taken) + len(fresh), short)


def plan_sample(workspace: Workspace, request: SampleRequest) -> Plan:
    """What `draw_sample` would do, with nothing written; raises as it does."""
    form = _checked(workspace, request)
    candidates = _candidates(workspace, form, request)
    sample = _existing(workspace, request)
    if sample is None:
        _check_candidates(workspace, request, candidates)
    taken = samples.taken(workspace.db, sample) if sample is not None else []
    fresh = draw(candidates, request.per_cell, request.seed, taken)
    rows = with_repeats(fresh, request.raters_wanted, request.repeat_share, request.seed)
    there = {one.subject: cell_of(one) for one in (*candidates, *taken)}
    known, held, added = (
        Counter(cells) for cells in (there.values(), map(cell_of, taken), map(cell_of, fresh))
    )
    cells = (CellPlan(*cell, known[cell], held[cell], added[cell]) for cell in sorted(known))
    return Plan(tuple(cells), len(rows) - len(fresh), sample is None)


def _checked(workspace: Workspace, request: SampleRequest) -> Form:
    if not request.name.strip():
        raise UsageError("A sample needs a name.")
    if request.per_cell < 1 or request.raters_wanted < 1:
        raise UsageError("A sample has at least one subject a cell, and one rater a subject.")
    if not 0 <= request.repeat_share <= 1:
        raise UsageError("The share of hidden repeats is 0 to 1.")
    named = request.raters or ()
    if named and len(named) < request.raters_wanted:
        raise UsageError(
            f"{request.raters_wanted} raters a subject are wanted, but {len(named)} named.",
            "Name as many, or more.",
        )
    form = find_form(workspace.db, request.form)
    if is_authoring(form.key):
        raise UsageError(
            f"Form {form.key!r} is a step of authoring.",
            "Beginning the authoring draws for it.",
            "ragdesk author begin",
        )
    if request.aids and form.subject_kind == "revision":
        raise UsageError(
            f"Form {form.key!r} is about items, whose answers are the golden ones.",
            "Draw without aids: they compare an answer of a system with the golden one.",
            "without --aids",
        )
    return form


def _existing(workspace: Workspace, request: SampleRequest) -> Sample | None:
    try:
        sample = samples.get(workspace.db, request.name)
    except NotFound:
        return None
    if sample.form_key != request.form:
        raise UsageError(
            f"Sample {sample.name!r} is of form {sample.form_key!r}.", "Choose another name."
        )
    samples.check_open(sample)
    if sample.settings.get("choose"):
        raise UsageError(
            f"Sample {sample.name!r} was drawn by {sample.settings['choose']}.",
            "Draw it further so, or draw another sample.",
        )
    wanted = int(sample.settings.get("raters_wanted", 1))
    if wanted != request.raters_wanted:
        # what it holds keeps its number, so the sample would be half of one kind, half of another
        raise UsageError(
            f"Sample {sample.name!r} was drawn for {wanted} raters a subject;"
            f" this asks for {request.raters_wanted}.",
            f"Draw it further for {wanted}, or draw another sample.",
            "--raters-wanted",
        )
    if request.aids and not sample.aids:
        raise UsageError(
            f"Sample {sample.name!r} was drawn without aids.",
            "Draw it further without, or draw another sample.",
            "--aids",
        )
    return sample


def _candidates(workspace: Workspace, form: Form, request: SampleRequest) -> list[Candidate]:
    if request.judge and not request.metric:
        raise UsageError(
            "A judge is named, and no metric that it gives values of.", "Name one.", "--metric M"
        )
    if request.metric and form.subject_kind != "prediction":
        raise UsageError(
            f"Form {form.key!r} is not about single answers, which alone have scores.",
            "Name no metric.",
            "--metric",
        )
    if form.subject_kind == "revision":
        if not request.dataset or request.runs:
            raise UsageError(f"Form {form.key!r} is about items.", "Name a dataset.", "--dataset")
        return _items(workspace, form, request)
    if not request.runs or request.dataset:
        raise UsageError(f"Form {form.key!r} is about answers.", "Name a run.", "--run RUN")
    if form.subject_kind == "pair":
        if len(request.runs) != 2:
            raise UsageError("Pairs are drawn from two runs.", "Name two.", "--run RUN RUN")
        return _pairs(workspace, form, request)
    return [
        candidate
        for run in request.runs
        for candidate in answer_candidates(workspace.db, form, run, request.metric, request.judge)
    ]


def _check_candidates(
    workspace: Workspace, request: SampleRequest, candidates: Sequence[Candidate]
) -> None:
    """A new sample that nothing could ever come into is a mistake, mostly of states."""
    if candidates:
        return
    if not request.dataset:
        runs_named = ", ".join(request.runs)
        raise InputError(f"There is no answer to label in {runs_named}.", "Wait for the run.")
    dataset = datasets.get(workspace.db, request.dataset)
    there = datasets.state_counts(workspace.db, dataset)
    held = ", ".join(f"{count:,} {state}" for state, count in sorted(there.items()))
    raise InputError(
        f"Dataset {dataset.name!r} has no {' or '.join(request.states)} items;"
        f" it has {held or 'none at all'}.",
        "Choose other states of the items.",
    )


def _items(workspace: Workspace, form: Form, request: SampleRequest) -> list[Candidate]:
    dataset = datasets.get(workspace.db, request.dataset)
    return [
        Candidate(
            str(row.revision),
            row.topic,
            row.task,
            "",
            row.group_key,
            fields_not_applicable(form, revision_facts(row.content)),
        )
        for row in label_candidates.revisions(workspace.db, dataset, request.states)
    ]


def answer_candidates(
    db: sqlite3.Connection, form: Form, run_name: str, metric: str = "", judge: str = ""
) -> list[Candidate]:
    """The answers of a run as candidates of a form, with their values of a metric as strata."""
    run = runs.get(db, run_name)
    key = results.find_metric(db, run.id, metric, judge=judge or None) if metric else None
    return [
        Candidate(
            str(row.prediction),
            row.topic,
            row.task,
            stratum_of(row),
            row.group_key,
            _not_applicable(form, row),
        )
        for row in label_candidates.predictions(db, run.id, key)
    ]


def stratum_of(row: PredictionRow) -> str:
    """What a draw is balanced over within a cell: the system and, where asked for, a score."""
    return f"{row.system} {'' if row.value is None else f'{row.value:g}'}".strip()


def _pairs(workspace: Workspace, form: Form, request: SampleRequest) -> list[Candidate]:
    run_a, run_b = (runs.get(workspace.db, name) for name in request.runs)
    if run_a.id == run_b.id:
        raise UsageError("A run cannot be compared with itself.", "Give two runs.")
    out = []
    for one, other in label_candidates.pairs(workspace.db, run_a.id, run_b.id):
        # which system stands as A is drawn, so that a liking for a place is no liking for a system
        first, second = (other, one) if _is_swapped(one, request.seed) else (one, other)
        subject = f"{first.prediction}:{second.prediction}"
        fields = _not_applicable(form, one)
        out.append(Candidate(subject, one.topic, one.task, "", one.group_key, fields))
    return out


def _not_applicable(form: Form, row: PredictionRow) -> tuple[str, ...]:
    facts = prediction_facts(row.content, row.turn, has_retrieved=row.retrieves)
    return fields_not_applicable(form, facts)


def _is_swapped(row: PredictionRow, seed: int) -> bool:
    return bool(
        blake2b(f"{seed} {row.item_key} {row.turn}".encode(), digest_size=1).digest()[0] & 1
    )


def _settings(request: SampleRequest) -> dict[str, Any]:
    return {
        "per_cell": request.per_cell,
        "dataset": request.dataset,
        "runs": list(request.runs),
        "metric": request.metric,
        "judge": request.judge,
        "raters_wanted": request.raters_wanted,
        "repeat_share": request.repeat_share,
        "seed": request.seed,
    }


def sources(sample: Sample) -> Sequence[str]:
    """The dataset, or the runs, that a sample was drawn from."""
    dataset = sample.settings.get("dataset")
    return [dataset] if dataset else list(sample.settings.get("runs", []))
