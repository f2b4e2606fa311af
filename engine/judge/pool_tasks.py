"""Work of judges in the worker's child processes."""

from __future__ import annotations

from collections.abc import Sequence

from engine.jobs.pool import child_workspace
from engine.judge.base import Case, Judge, Judgement, JudgeSpec, compute
from engine.judge.cases import read_case
from engine.judge.registry import open_judge
from store.datasets import datasets
from store.runs import runs

_judges: dict[str, Judge] = {}
"""The judges that this child has opened, by hash."""


def judge(
    spec: JudgeSpec, run_id: int, prediction_ids: Sequence[int]
) -> list[tuple[Judgement, ...]]:
    """The judgements that a judge which computes gives each prediction of a run."""
    workspace = child_workspace()
    run = runs.get(workspace.db, run_id)
    corpus = datasets.corpus_of(workspace.db, run.release_id)
    cases = [
        read_case(workspace.db, corpus, run.system, prediction) for prediction in prediction_ids
    ]
    return compute(_opened(spec), cases, spec.metrics)


def judge_cases(
    spec: JudgeSpec, asked: Sequence[tuple[Case, Sequence[str]]]
) -> list[tuple[Judgement, ...]]:
    """The judgements that a judge which computes gives each case, of the metrics beside it."""
    return [compute(_opened(spec), [case], metrics)[0] for case, metrics in asked]


def _opened(spec: JudgeSpec) -> Judge:
    if spec.hash not in _judges:
        _judges[spec.hash] = open_judge(child_workspace().folder, spec)
    return _judges[spec.hash]
