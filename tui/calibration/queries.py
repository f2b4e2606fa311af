"""What judges gave so far, and what it would take to let them score runs, or to audit one."""

from __future__ import annotations

from msgspec import Struct

from engine.calibration.audit.audit_job import AuditJudge
from engine.jobs.operation import Estimate, dry_run
from store.runs.judge_coverage import JudgeCoverage, coverage
from store.workspace import Workspace


class JudgingFigures(Estimate, frozen=True, kw_only=True):
    """The figures of `JudgeEstimate` over several runs."""

    runs: int
    answers: int
    scores: int
    at_least: bool
    same_family: tuple[str, ...]
    embeds_at: str


class JudgingQuery(Struct, frozen=True):
    """What it would take to let a judge score runs as far as it has not."""

    runs: tuple[str, ...]
    judge: str
    metrics: tuple[str, ...]
    """Empty for all that the judge gives."""

    def answer(self, workspace: Workspace) -> JudgingFigures:
        """Raises what `JudgeRun.estimate` raises."""
        from msgspec.structs import asdict

        from engine.judge.estimate import total
        from engine.judge.judge_job import JudgeRun

        parts = [JudgeRun(run, self.judge, self.metrics).estimate(workspace) for run in self.runs]
        return JudgingFigures(runs=len(parts), **asdict(total(parts)))


class AuditFigures(Estimate, frozen=True, kw_only=True):
    """The figures of `AuditEstimate`, which brings the probes with it where it is imported."""

    answers: int
    values: int
    at_least: bool
    embeds_at: str


class AuditQuery(Struct, frozen=True):
    """What an audit would take."""

    operation: AuditJudge

    def answer(self, workspace: Workspace) -> AuditFigures:
        """Raises what refuses the audit."""
        from msgspec.structs import asdict

        return AuditFigures(**asdict(dry_run(workspace, self.operation)))


class CoverageQuery(Struct, frozen=True):
    """How much of each run its judges have scored."""

    def answer(self, workspace: Workspace) -> list[JudgeCoverage]:
        """The newest runs first."""
        return coverage(workspace.db)
