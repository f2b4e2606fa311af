"""What a job is given: the workspace, its row, the child processes, and word when to stop."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from engine.jobs.pool import child_workspace
from store.errors import Busy
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState, PauseReason
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.pool import CpuPool
    from engine.models.endpoints import Endpoints


P = ParamSpec("P")
T = TypeVar("T")

PHASE_S = 0.5
"""The seconds after which it is told again how far a phase is."""
GRACE_S = 1.0
"""The seconds that calls in flight have, after a stop, to bring a reply that is still stored."""


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


def for_job(job_id: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls `function` in a child process, for a job that `end_with_job` asks about."""
    global _job_id
    _job_id = job_id
    try:
        return function(*args, **kwargs)
    finally:
        _job_id = None


_job_id: int | None = None


def end_with_job() -> None:
    """Raises Stopped in a child process once the job that it works for is to stop.

    For what waits there for long, such as embeddings by an endpoint; the store says it.
    """
    if _job_id is not None and not jobs.goes_on(child_workspace().db, _job_id):
        raise Stopped(JobState.QUEUED)


def tell_phase(phase: str | None, done: int = 0, total: int | None = None) -> None:
    """Stores, in a child process, the phase of the job that it works for: each at once, how far it
    is every `PHASE_S` seconds. What cannot be written now is told the next time."""
    global _told
    now = time.monotonic()
    if _job_id is None or (_told[0] == phase and now - _told[1] < PHASE_S):
        return
    with contextlib.suppress(Busy), child_workspace().write() as db:
        jobs.set_phase(db, _job_id, phase, done, total)
        _told = (phase, now)


_told: tuple[str | None, float] = (None, 0.0)
"""The phase that was told last, and when."""


class JobContext:
    def __init__(self, workspace: Workspace, job: Job, pool: CpuPool, endpoints: Endpoints) -> None:
        self.workspace = workspace
        self.job = job
        self.pool = pool
        self.endpoints = endpoints
        self._stop: Stopped | None = None
        self._waits: set[asyncio.Timeout] = set()

    def stop(self, state: JobState) -> None:
        """Asks the job to end as `state`: nothing more begins, and what `until_stopped` waits for
        has `GRACE_S` seconds left."""
        self.end(Stopped(state, PauseReason.USER if state is JobState.PAUSED else None))

    def end(self, stopped: Stopped) -> None:
        """The same, with a reason of its own; what was asked first holds."""
        if self._stop is not None:
            return
        self._stop = stopped
        for wait in self._waits:
            wait.reschedule(asyncio.get_running_loop().time() + GRACE_S)

    @contextlib.asynccontextmanager
    async def until_stopped(self) -> AsyncIterator[None]:
        """Waiting that a stop ends, whatever is waited for: a reply, a retry, a place in a limit.

        Raises Stopped when the job is to stop already, and `GRACE_S` after it is told to.
        """
        self.raise_if_stopping()
        try:
            async with asyncio.timeout(None) as wait:
                self._waits.add(wait)
                try:
                    yield
                finally:
                    self._waits.discard(wait)
        except TimeoutError:
            self.raise_if_stopping()
            raise

    @property
    def stopping(self) -> bool:
        return self._stop is not None

    def raise_if_stopping(self) -> None:
        if self._stop is not None:
            raise self._stop

    async def in_child(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `CpuPool.call` gives; waits for it no longer than until the job is stopped."""
        async with self.until_stopped():
            return await self.pool.call(
                for_job,  # type: ignore[arg-type]  # mypy takes its P for another than this one
                self.job.id,
                function,
                *args,
                **kwargs,
            )

    def enter(self, phase: str | None) -> None:
        """Says what the job does from now on, beside what its progress counts; None for that."""
        with self.workspace.write() as db:
            jobs.set_phase(db, self.job.id, phase)

    def note(self, kind: str, text: str) -> None:
        with self.workspace.write() as db:
            jobs.note(db, self.job.id, kind, text)
