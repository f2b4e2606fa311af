"""What a job is given: the workspace, its row, the child processes, and word when to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState, PauseReason
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.pool import CpuPool
    from engine.models.endpoints import Endpoints


class Stopped(Exception):
    """A job ends early: somebody asked, or nothing more is to be had for now.

    `state` is what it becomes; `error` and `remedy` say why when nobody asked.
    """

    def __init__(
        self,
        state: JobState,
        reason: PauseReason | None = None,
        error: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(state, reason, error, remedy)
        self.state = state
        self.reason = reason
        self.error = error
        self.remedy = remedy


class JobContext:
    def __init__(self, workspace: Workspace, job: Job, pool: CpuPool, endpoints: Endpoints) -> None:
        self.workspace = workspace
        self.job = job
        self.pool = pool
        self.endpoints = endpoints
        self._stop: Stopped | None = None

    def stop(self, state: JobState) -> None:
        """Asks the job to end as `state` once what is in flight has been stored."""
        self.end(Stopped(state, PauseReason.USER if state is JobState.PAUSED else None))

    def end(self, stopped: Stopped) -> None:
        """The same, with a reason of its own; what was asked first holds."""
        self._stop = self._stop or stopped

    @property
    def stopping(self) -> bool:
        return self._stop is not None

    def raise_if_stopping(self) -> None:
        if self._stop is not None:
            raise self._stop

    def note(self, kind: str, text: str) -> None:
        with self.workspace.write() as db:
            jobs.note(db, self.job.id, kind, text)
