"""What the child processes of the worker compute for judges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.cases import read_case, run_corpus
from engine.judge.registry import ComputedJudge, JudgeSpec, load_computed
from store.records import MetricScore
from store.runs import runs
from store.workspace import Workspace, open_workspace

_open: dict[Path, Workspace] = {}
_ready: dict[str, ComputedJudge] = {}
"""The judges that this child has loaded, by hash."""


def judge(
    folder: Path, spec: JudgeSpec, run_id: int, prediction_ids: Sequence[int]
) -> list[tuple[MetricScore, ...]]:
    """What a judge that computes says of each prediction of a run."""
    if folder not in _open:
        _open[folder] = open_workspace(folder)
    workspace = _open[folder]
    if spec.hash not in _ready:
        _ready[spec.hash] = load_computed(workspace.folder, spec)
    run = runs.get(workspace.db, run_id)
    corpus = run_corpus(workspace.db, run)
    cases = [
        read_case(workspace.db, corpus, run.system, prediction) for prediction in prediction_ids
    ]
    return _ready[spec.hash].judge(cases)
