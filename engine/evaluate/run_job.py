"""The job `run`: a system answers the items of a release, and every answer is scored.

What does the work is imported on use, so that queueing loads no models.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.evaluate.new_run import NewRun, check_new_run, make_run
from engine.evaluate.systems import find_system
from engine.jobs.operation import Operation, Progress, no_progress, put
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import find_judge
from store.datasets import datasets
from store.errors import Conflict, UsageError
from store.jobs.jobs import Job
from store.messages import plural
from store.runs import runs
from store.systems import NO_ANSWERS
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.evaluate.estimate import RunEstimate
    from engine.jobs.context import JobContext


class Evaluate(Operation, frozen=True, tag="run", rename={"of": "run"}):
    of: NewRun | int
    """What to make; once it is queued, the number of the run."""
    judge: JudgeRun | None = None
    """What scores the answers once they are there, within bounds of the same size as theirs; it
    names its run once it is queued."""

    def check(self, workspace: Workspace) -> None:
        """Raises what `check_new_run` raises, and what refuses the judge."""
        check_new_run(workspace, self._new, self.budget)
        if self.judge is not None:
            system = find_system(workspace.folder, self._new.system)
            if system.generator == NO_ANSWERS:
                raise UsageError(
                    f"System {system.name!r} only retrieves: there is no answer to judge.",
                    "Leave out the judge.",
                )
            self.judge.check_judge(workspace, self.budget)

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> RunEstimate:
        from engine.evaluate.estimate import estimate_run

        judge = None
        if self.judge is not None:
            judge = find_judge(workspace.folder, self.judge.judge, self.judge.metrics)
        return estimate_run(workspace, self._new, progress, judge)

    def enqueue(self, workspace: Workspace) -> Job:
        run = make_run(workspace, self._new)
        release = datasets.release_by_id(workspace.db, run.release_id)
        title = f"{run.system.name} on {release.label}"
        judge = None
        if self.judge is not None:
            judge = replace(self.judge, of_run=run.id).frozen(workspace)
        return put(workspace.db, replace(self, of=run.id, judge=judge), title, run_id=run.id)

    async def run(self, context: JobContext) -> None:
        from engine.evaluate.run_work import work_off

        await work_off(context, self._number, self.budget)
        if self.judge is not None:
            await replace(self.judge, budget=self.budget).score(context, "judging")

    def judging(self, db: sqlite3.Connection) -> tuple[JudgeRun, ...]:
        """What it does as a judge."""
        return () if self.judge is None else (self.judge,)

    def reopen_failed(self, db: sqlite3.Connection) -> str:
        """Raises Conflict for a run that was imported."""
        run = runs.get(db, self._number)
        if run.system.is_imported:
            raise Conflict(
                f"What failed in run {run.name!r} was imported as failed.",
                "Ask the system itself again, and import its answers as a new run.",
            )
        kinds = runs.reopen_failed(db, run.id)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        judged = "" if self.judge is None else self.judge.reopen_failed(db)
        return " and ".join(filter(None, [counts and f"what had failed: {counts}", judged]))

    def failure(self, db: sqlite3.Connection, job_id: int) -> str:
        progress = runs.progress(db, self._number)
        if not progress.failed or progress.failed < progress.total:
            return ""
        return (
            f"Run {runs.get(db, self._number).name} has no answer: all"
            f" {plural(progress.failed, 'prediction')} failed. Once the cause is mended,"
            " resume the job so that it asks again for what failed."
        )

    @property
    def _new(self) -> NewRun:
        assert isinstance(self.of, NewRun), "the run is there already"
        return self.of

    @property
    def _number(self) -> int:
        assert isinstance(self.of, int), "a queued job knows its run by its number"
        return self.of
