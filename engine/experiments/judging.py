"""The judges that an experiment's metrics name, which score the answers of its arms."""

from __future__ import annotations

from collections.abc import Sequence

from engine.experiments.design import Design
from engine.experiments.scores import metric_query
from engine.jobs.operation import no_progress
from engine.judge.estimate import JudgeEstimate, estimate_ahead, estimate_judging, total
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import find_judge
from store.datasets.datasets import Release
from store.errors import UsageError
from store.records import ReleasedItem
from store.runs import runs
from store.systems import NO_ANSWERS, SystemConfig
from store.workspace import Workspace


def metric_judges(design: Design) -> tuple[JudgeRun, ...]:
    """The judges of metrics that a design names as `JUDGE/NAME`, each with those of its metrics,
    about no run so far. Raises UsageError where it names none."""
    metrics: dict[str, list[str]] = {}
    for metric in design.metrics:
        asked = metric_query(metric)
        if asked.judge:
            metrics.setdefault(asked.judge, []).append(asked.metric)
    if not metrics:
        raise UsageError(
            "No metric of the experiment is a judge's.",
            "Make one that names metrics as JUDGE/NAME, with judges of the workspace.",
        )
    return tuple(JudgeRun("", judge, tuple(names)) for judge, names in metrics.items())


def estimate_judges(
    workspace: Workspace,
    release: Release,
    judges: Sequence[JudgeRun],
    arms: Sequence[tuple[SystemConfig, int | None, Sequence[ReleasedItem]]],
) -> JudgeEstimate:
    """What judges would take that score arms: the system of each, its run where it has one, and
    the items that it has still to answer, whose golden answers stand in. Equal requests of several
    arms count for each, since it is not known yet which are."""
    parts = []
    for judge in judges:
        spec = find_judge(workspace.folder, judge.judge, judge.metrics)
        for system, run_id, items in arms:
            if system.generator == NO_ANSWERS:
                continue
            if run_id is not None:
                run = runs.get(workspace.db, run_id)
                parts.append(estimate_judging(workspace, run, spec, no_progress))
            if items:
                parts.append(estimate_ahead(workspace, system, release, items, 1, spec))
    return total(parts)
