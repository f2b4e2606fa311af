"""The estimate of an experiment: what its arms take together."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import asdict

from engine.evaluate.estimate import estimate_system
from engine.jobs.operation import Estimate, Progress, no_progress
from engine.jobs.request_count import RequestCount
from engine.judge.estimate import JudgeEstimate
from store.datasets.datasets import Release
from store.records import ReleasedItem
from store.systems import SystemConfig
from store.workspace import Workspace


class ExperimentEstimate(Estimate, frozen=True, kw_only=True):
    """The cost of an experiment whose arms all go on to the test side; calls that several arms
    share count once."""

    arms: int
    predictions: int
    """Of all arms, those that are there already left out."""
    judging: JudgeEstimate | None = None
    """What the judges take that score the answers of all arms."""


def estimate_arms(
    workspace: Workspace,
    release: Release,
    items: Sequence[ReleasedItem],
    systems: Sequence[tuple[SystemConfig, int]],
    progress: Progress = no_progress,
) -> ExperimentEstimate:
    """What systems would take over some items, each with the predictions that it has already."""
    shared: dict[bytes, RequestCount] = {}
    predictions = 0
    for number, (system, finished) in enumerate(systems, 1):
        made = estimate_system(workspace, system, release, items, 1, no_progress, shared)
        predictions += made.predictions - finished
        progress(number, len(systems))
    total = Estimate.total([count.estimate for count in shared.values()])
    return ExperimentEstimate(**asdict(total), arms=len(systems), predictions=max(0, predictions))
