"""The query of the New run question: what a run would take."""

from __future__ import annotations

from msgspec import Struct

from engine.evaluate.new_run import NewRun
from engine.jobs.operation import Estimate
from store.workspace import Workspace


class RunFigures(Estimate, frozen=True, kw_only=True):
    """The figures of `RunEstimate`, which brings the retrievers with it where it is imported."""

    predictions: int
    stands_in: bool
    at_least: bool
    judging: Estimate | None = None
    """What the judge takes that scores the answers afterwards."""


class RunQuery(Struct, frozen=True):
    """What a run would take, and the judge that scores its answers."""

    new: NewRun
    judge: str = ""
    """Empty for none."""
    metrics: tuple[str, ...] = ()
    """Empty for all that the judge gives."""

    def answer(self, workspace: Workspace) -> RunFigures:
        """Raises what `Evaluate.estimate` raises."""
        from msgspec.structs import asdict

        from engine.evaluate.run_job import Evaluate
        from engine.judge.judge_job import JudgeRun

        judge = JudgeRun("", self.judge, self.metrics) if self.judge else None
        return RunFigures(**asdict(Evaluate(self.new, judge=judge).estimate(workspace)))
