"""What a job is given: the workspace, its row, the child processes, and word when to stop."""

from __future__ import annotations

from engine.jobs.pool import CpuPool
from store import jobs
from store.jobs import Job
from store.records import JobState
from store.workspace import Workspace


class Stopped(Exception):
    """A job ends early because somebody asked; `state` is what it becomes."""

    def __init__(self, state: JobState) -> None:
        super().__init__(state)
        self.state = state


class JobContext:
    def __init__(self, workspace: Workspace, job: Job, pool: CpuPool) -> None:
        self.workspace = workspace
        self.job = job
        self.pool = pool
        self._stop: JobState | None = None

    def stop(self, state: JobState) -> None:
        """Asks the job to end as `state` once what is in flight has been stored."""
        self._stop = state

    @property
    def stopping(self) -> bool:
        return self._stop is not None

    def raise_if_stopping(self) -> None:
        if self._stop is not None:
            raise Stopped(self._stop)

    def note(self, kind: str, text: str) -> None:
        with self.workspace.write() as db:
            jobs.note(db, self.job.id, kind, text)
