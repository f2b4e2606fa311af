"""The query of the New run question: what a run would take."""

from __future__ import annotations

from msgspec import Struct

from engine.evaluate.new_run import NewRun
from engine.jobs.operation import Estimate, no_progress
from store.workspace import Workspace


class RunFigures(Estimate, frozen=True, kw_only=True):
    """The figures of `RunEstimate`, which brings the retrievers with it where it is imported."""

    predictions: int
    stands_in: bool
    at_least: bool


class RunQuery(Struct, frozen=True):
    """What a run would take."""

    new: NewRun

    def answer(self, workspace: Workspace) -> RunFigures:
        """Raises what `estimate_run` raises."""
        from msgspec.structs import asdict

        from engine.evaluate.estimate import estimate_run

        return RunFigures(**asdict(estimate_run(workspace, self.new, no_progress)))
