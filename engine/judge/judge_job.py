"""The job `judge`: every answer of a run gets a judge's scores.

What does the work is imported on use, because commands and screens build operations.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from engine.jobs.model_choice import check_spending
from engine.jobs.operation import Budget, Operation, Progress, no_progress, put, stored_operation
from engine.judge.base import JudgeSpec
from engine.judge.registry import find_judge, open_judge
from engine.models.settings import Provider
from store.errors import Conflict, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState, ScoreState
from store.runs import judge_scores, runs, stages
from store.runs.runs import Run
from store.systems import NO_ANSWERS
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.context import JobContext
    from engine.judge.estimate import JudgeEstimate

_JUDGING = ("judge", "run", "experiment")
"""Kinds of jobs whose operations have `judging`."""


class JudgeRun(Operation, frozen=True, tag="judge", rename={"of_run": "run", "judge_kind": "kind"}):
    """The judge is frozen when the job is queued; its configuration is in the store."""

    of_run: str | int
    """Name or number of a run; its number once it is queued."""
    judge: str
    metrics: tuple[str, ...] = ()
    """Empty for all that the judge gives; none is empty once it is queued."""
    judge_id: int | None = None
    """Number of the judge's stored configuration."""
    judge_kind: str = ""
    """The method of the judge."""
    repeats: int = 1
    provider: Provider | None = None
    """Of a judge that asks: with prices and limits, which its configuration leaves out."""
    members: tuple[JudgeRun, ...] = ()
    """Of a judge that has members, once it is queued: what each of them does before."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown run or judge, UsageError for a metric that the judge does
        not give, for a run without answers, and for a budget that cannot be kept, InputError when
        the model's key is not in the environment, Conflict when that judge is at work on that run,
        and RagdeskError when what the judge needs is not installed or not there any more.
        """
        run, _ = self._find(workspace)
        check_idle(workspace.db, run, self.check_judge(workspace, self.budget))

    def check_judge(self, workspace: Workspace, budget: Budget) -> tuple[JudgeSpec, ...]:
        """The judge with its members before it. Raises what `check` raises of them, whatever they
        judge."""
        spec = find_judge(workspace.folder, self.judge, self.metrics)
        judges = (*spec.members, spec)
        for one in judges:
            check_spending(one.provider, budget)
            open_judge(workspace.folder, one)
        _check_currencies(judges, budget)
        return judges

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> JudgeEstimate:
        from engine.judge.estimate import estimate_judging

        return estimate_judging(workspace, *self._find(workspace), progress)

    def enqueue(self, workspace: Workspace) -> Job:
        run, spec = self._find(workspace)
        frozen = self.frozen(workspace).about(run.id)
        return put(workspace.db, frozen, f"{spec.name} on {run.name}")

    def frozen(self, workspace: Workspace) -> JudgeRun:
        """The same with all that has to be known to do it later, but for the run; called inside a
        transaction."""
        spec = find_judge(workspace.folder, self.judge, self.metrics)
        return replace(_frozen(workspace.db, self.of_run, spec), budget=self.budget)

    def about(self, run_id: int) -> JudgeRun:
        """The same about the run of that number."""
        members = tuple(member.about(run_id) for member in self.members)
        return replace(self, of_run=run_id, members=members)

    def judging(self, db: sqlite3.Connection) -> Sequence[JudgeRun]:
        """What a queued job does as a judge; so have operations that judge beside other work."""
        return (self,)

    async def run(self, context: JobContext) -> None:
        await self.score(context)

    async def score(self, context: JobContext, phase: str = "") -> None:
        """Works off what is left, within a job that does other things as its phase of that name."""
        from engine.judge.family import shared_families
        from engine.judge.judge_work import Share, work_off
        from engine.judge.trust import PREFERENCE, family_text
        from engine.models.budget import Spending

        db = context.workspace.db
        run = runs.get(db, self.of_run)
        models = (turn.provider.model for turn in self.turns if turn.provider is not None)
        if shared := shared_families(models, run):
            context.note(jobs.WARNING, f"{family_text(shared, 'en')}; {PREFERENCE}")
        for before, turn in enumerate(self.turns):
            spent = [judge_scores.spent(db, run.id, one.stored_judge) for one in self.turns]
            total = Spending(sum(tokens for tokens, _ in spent), sum(cost for _, cost in spent))
            share = Share(before, len(self.turns), total, phase)
            spec = turn.frozen_spec(db)
            await work_off(context, run, turn.stored_judge, spec, self.budget, share)

    def failed(self, db: sqlite3.Connection) -> int:
        run = runs.get(db, self.of_run)
        return sum(judge_scores.failed(db, run.id, one.stored_judge) for one in self._asking)

    def reopen_failed(self, db: sqlite3.Connection) -> str:
        run = runs.get(db, self.of_run)
        dependants = [self.stored_judge] if self.members else []
        failed = sum(
            judge_scores.reopen_failed(db, run.id, one.stored_judge, dependants)
            for one in self._asking
        )
        return f"{failed} scores that had failed" if failed else ""

    def failure(self, db: sqlite3.Connection, job_id: int) -> str:
        counts = judge_scores.counts(db, runs.get(db, self.of_run).id, self.stored_judge)
        states = {
            state
            for metric in self.metrics
            for state, count in counts.get(metric, {}).items()
            if count
        }
        return "No answer has a score: all failed." if states == {ScoreState.ERROR} else ""

    @property
    def turns(self) -> tuple[JudgeRun, ...]:
        """The judges at work in this order: the members, and itself."""
        return (*self.members, self)

    @property
    def _asking(self) -> tuple[JudgeRun, ...]:
        """The judges that ask: the members of a jury, else itself."""
        return self.members or (self,)

    @property
    def stored_judge(self) -> int:
        assert self.judge_id is not None, "a queued job knows its judge by its number"
        return self.judge_id

    def frozen_spec(self, db: sqlite3.Connection) -> JudgeSpec:
        """The judge as it was when the job was queued, with the metrics that are asked for."""
        stored = judge_scores.get(db, self.stored_judge)
        return JudgeSpec(
            stored.name, self.judge_kind, self.metrics, stored.config, self.provider, self.repeats
        )

    def _find(self, workspace: Workspace) -> tuple[Run, JudgeSpec]:
        """The run, and the judge with the metrics that are asked for."""
        run = runs.get(workspace.db, self.of_run)
        spec = find_judge(workspace.folder, self.judge, self.metrics)
        if run.system.generator == NO_ANSWERS:
            raise UsageError(f"Run {run.name!r} only retrieves: there is no answer to judge.")
        return run, spec


def check_idle(db: sqlite3.Connection, run: Run, judges: Sequence[JudgeSpec]) -> None:
    """Raises Conflict where one of the judges is at work on the run."""
    hashes = {one.hash for one in judges}
    for job in jobs.listing(db):
        for turn in _turns_about(db, run.id, job):
            stored = judge_scores.get(db, turn.stored_judge)
            if stored.hash in hashes:
                raise Conflict(
                    f"Judge {stored.name!r} is at work on run {run.name!r} already, as job"
                    f" {job.id}.",
                    "Wait for its end, or cancel it.",
                    f"ragdesk jobs show {job.id}",
                )


def _turns_about(db: sqlite3.Connection, run_id: int, job: Job) -> list[JudgeRun]:
    """The judges that a job lets score a run, be it beside other work."""
    if job.kind not in _JUDGING or job.state not in (JobState.QUEUED, JobState.RUNNING):
        return []
    operation: Any = stored_operation(job)
    return [turn for one in operation.judging(db) if one.of_run == run_id for turn in one.turns]


def _frozen(db: sqlite3.Connection, of_run: str | int, spec: JudgeSpec) -> JudgeRun:
    """What has to be known of a judge, and of its members, to let them work later."""
    return JudgeRun(
        of_run,
        spec.name,
        spec.metrics,
        stages.put_judge(db, spec.name, spec.config),
        spec.kind,
        spec.repeats,
        spec.provider,
        tuple(_frozen(db, of_run, member) for member in spec.members),
    )


def _check_currencies(judges: Sequence[JudgeSpec], budget: Budget) -> None:
    """UsageError for a bound on money that is paid in several currencies."""
    prices = [one.provider.prices for one in judges if one.provider and one.provider.prices]
    currencies = sorted({price.currency for price in prices})
    if budget.max_cost is not None and len(currencies) > 1:
        raise UsageError(
            f"A budget of money is in one currency, and the members are paid in"
            f" {', '.join(currencies)}.",
            "Bound the tokens, or let each member judge the run first, with a bound of its own.",
            "--max-tokens",
        )
