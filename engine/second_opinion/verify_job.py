"""The job `second-opinion`: a sample of a run is scored again by other people's libraries.

What does the work is imported on use, because commands build operations.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.jobs.operation import (
    Estimate,
    Operation,
    Progress,
    encoded,
    no_progress,
    put,
    stored_operation,
)
from engine.second_opinion.opinions import LibraryOpinion
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
    opinions: tuple[LibraryOpinion, ...] = ()
    """What libraries have said so far; none when it is queued."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown run, UsageError for an empty sample, and InputError for a
        run of which nothing is scored yet."""
        run = runs.get(workspace.db, self.of_run)
        if self.sample < 1:
            raise UsageError(
                f"The size of the sample is {self.sample}.", "Use a number above 0.", "--sample"
            )
        if not runs.progress(workspace.db, run.id).scored:
            raise InputError(f"Nothing of run {run.name!r} is scored yet.", "Let it go on first.")

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        return Estimate()

    def enqueue(self, workspace: Workspace) -> Job:
        run = runs.get(workspace.db, self.of_run)
        return put(workspace.db, replace(self, of_run=run.id), f"other libraries on {run.name}")

    async def run(self, context: JobContext) -> None:
        """Each library's opinion is stored with the job as soon as it is there."""
        from engine.second_opinion.libraries import LIBRARIES, library_opinion

        known = {one.library for one in self.opinions}
        for done, library in enumerate(LIBRARIES, 1):
            if library in known:
                continue
            assert isinstance(self.of_run, int), "a queued job knows its run by its number"
            opinion = await context.in_child(
                library_opinion, self.of_run, library, self.sample, self.seed
            )
            with context.workspace.write() as db:
                stored = stored_opinions(db, context.job.id)
                # as it stands now: its budget may have been changed meanwhile
                operation = stored_operation(jobs.get(db, context.job.id))
                changed = replace(operation, opinions=(*stored, opinion))
                jobs.set_params(db, context.job.id, encoded(changed))
                jobs.note(db, context.job.id, "checked", opinion.sentence)
                jobs.set_progress(db, context.job.id, done, len(LIBRARIES))


def stored_opinions(db: sqlite3.Connection, job_id: int) -> tuple[LibraryOpinion, ...]:
    """The opinions that a job has stored so far, in the order of the libraries."""
    operation = stored_operation(jobs.get(db, job_id))
    assert isinstance(operation, VerifyMetrics)
    return operation.opinions
