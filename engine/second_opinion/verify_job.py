"""The job `second-opinion`: a sample of a run is scored again by other people's libraries.

What does the work is imported on use, because commands build operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from engine.jobs.operation import Estimate, Operation, Progress, no_progress, put
from store.errors import InputError, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.runs import runs
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.context import JobContext

SAMPLE = 200


class VerifyMetrics(Operation, frozen=True, tag="second-opinion", rename={"of_run": "run"}):
    of_run: str | int
    """Name or number of a run; its number once it is queued."""
    sample: int = SAMPLE
    """Answers to draw; all of a run that has fewer."""
    seed: int = 0

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown run, UsageError for an empty sample, and InputError for a
        run of which nothing is scored yet."""
        run = runs.get(workspace.db, self.of_run)
        if self.sample < 1:
            raise UsageError(f"--sample is {self.sample}.", "Use a number above 0.")
        if not runs.progress(workspace.db, run.id).scored:
            raise InputError(f"Nothing of run {run.name!r} is scored yet.", "Let it go on first.")

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        return Estimate()

    def enqueue(self, workspace: Workspace) -> Job:
        run = runs.get(workspace.db, self.of_run)
        return put(workspace.db, replace(self, of_run=run.id), f"on {run.name}")

    async def run(self, context: JobContext) -> None:
        """Each library's opinion is stored as soon as it is there, as an event of the job."""
        from engine.second_opinion.libraries import LIBRARIES, library_opinion
        from engine.second_opinion.opinions import EVENT, stored_opinions

        db, job = context.workspace.db, context.job.id
        known = {one.library for one in stored_opinions(db, job)}
        for done, library in enumerate(LIBRARIES):
            with context.workspace.write() as write:
                jobs.set_progress(write, job, done, len(LIBRARIES))
            if library in known:
                continue
            assert isinstance(self.of_run, int), "a queued job knows its run by its number"
            opinion = await context.in_child(
                library_opinion, self.of_run, library, self.sample, self.seed
            )
            context.note(EVENT, msgspec.json.encode(opinion).decode())
        with context.workspace.write() as write:
            jobs.set_progress(write, job, len(LIBRARIES), len(LIBRARIES))
