"""A preview of an export: what it would hold and leave out, before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.exporters.layouts import LAYOUTS, RUN_LAYOUTS
from engine.exporters.scope import Filters, choose
from engine.exporters.writing import default_states
from engine.training.data.bundle import gather
from engine.training.data.preferences import gather_preferences
from engine.training.judge_export import JudgeExport, by_status, sizes
from engine.training.preference_export import PreferenceExport, sources
from engine.training.preference_export import sizes as sizes_of_pairs
from store.datasets import datasets
from store.errors import InputError, NotFound
from store.formats.manifest import Preview
from store.history import exports
from store.history.names import Names
from store.records import PredictionState
from store.runs import runs
from store.workspace import Workspace


def preview_judge(workspace: Workspace, export: JudgeExport) -> Preview:
    """Of judge data. No side is stored; raises NotFound as `export_judge` does. What else stands
    against the export is a `problem`."""
    names = Names.of(workspace.db, anonymous=export.anonymous)
    try:
        bundle = gather(workspace, export.wanted, names, keep=False)
    except InputError as error:
        return Preview({}, {}, {}, problem=str(error))
    statuses = by_status(bundle)
    return Preview(
        {name: count for name, count in sizes(bundle.all).items() if count},
        {name: count for name, count in statuses.items() if name not in bundle.left_out},
        dict(bundle.left_out),
        problem="" if bundle.all else "No label can be exported. Adjudicate, or label more.",
    )


def preview_preferences(workspace: Workspace, export: PreferenceExport) -> Preview:
    """Of pairs for DPO. No side is stored; raises NotFound as `export_preferences` does. What else
    stands against the export is a `problem`."""
    names = Names.of(workspace.db, anonymous=export.anonymous)
    try:
        found = gather_preferences(workspace, export.wanted, names, keep=False)
    except InputError as error:
        return Preview({}, {}, {}, problem=str(error))
    return Preview(
        {name: count for name, count in sizes_of_pairs(found.all).items() if count},
        sources(found),
        dict(found.left_out),
        problem="" if found.all else "No preference can be exported. Adjudicate, or label more.",
    )


def preview_runs(workspace: Workspace, names: Sequence[str], kind: str) -> Preview:
    """Of runs in one of RUN_LAYOUTS: their predictions, with the scores where the layout holds any.

    Raises NotFound for a run that there is not; runs without any answer are a `problem`.
    """
    db, layout = workspace.db, RUN_LAYOUTS[kind]
    chosen = [runs.get(db, name) for name in names]
    states: Counter[str] = Counter()
    for run in chosen:
        progress = runs.progress(db, run.id)
        for state in PredictionState:
            states[state] += getattr(progress, state)
    is_answered = states.total() > states[PredictionState.PENDING]
    pending = 0 if layout.holds_pending else states.pop(PredictionState.PENDING, 0)
    counts = {"predictions": states.total()}
    if layout.holds_scores:
        counts["scores"] = sum(runs.score_count(db, run.id) for run in chosen)
    return Preview(
        counts,
        {str(state): count for state, count in states.items() if count},
        {"still to be answered": pending} if pending else {},
        (layout.note,) if layout.note else (),
        "" if is_answered else "Nothing is answered yet." if chosen else "There is no run yet.",
    )


def preview_dataset(
    workspace: Workspace, kind_name: str, dataset: str, filters: Filters, *, anonymous: bool = False
) -> Preview:
    """Of the items of a dataset or release in one of LAYOUTS; raises what `export_dataset`
    raises, except for an export without any item, which is a `problem`."""
    layout = LAYOUTS[kind_name]
    db = workspace.db
    of = datasets.get(db, dataset.partition("@")[0])
    release = datasets.find_release(db, dataset) if "@" in dataset else None
    every = exports.items(db, of, release)
    notes = (layout.note,) if layout.note else ()
    states = filters.states or (() if release else default_states(layout))
    lost: Counter[str] = Counter()
    for item in every:
        if states and item.state not in states:
            lost[f"{item.state}"] += 1
        elif filters.topics and item.content.topic not in filters.topics:
            lost["of another topic"] += 1
        elif filters.tasks and item.content.task not in filters.tasks:
            lost["of another task"] += 1
    if len(every) == sum(lost.values()):
        problem = f"{dataset} has no item to export. Loosen the filters."
        return Preview({}, {}, dict(lost), notes, problem)
    try:
        scope = choose(
            workspace, dataset, filters, default_states=default_states(layout), anonymous=anonymous
        )
    except (InputError, NotFound) as error:
        return Preview({}, {}, dict(lost), notes, str(error))
    missing = len(every) - sum(lost.values()) - len(scope.items)
    if missing:
        lost["on another side of the split"] = missing
    tallies = scope.tallies(workspace)
    return Preview(scope.counts(), tallies["by_status"], dict(lost), notes)
