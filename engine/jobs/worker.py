"""The worker process: `python -P -m engine.jobs.worker WORKSPACE`.

One a workspace. It takes the worker seat, runs queued jobs side by side on one event loop, renews
its leases, obeys pause and cancel, and ends when the queue stays empty. All it knows is in the
store: killed at any moment, the next worker goes on from the rows.

On a full disk it lives on. A job that finds no room pauses; a file that was kept for that gives
the room to say so.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
import sys
import traceback
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from engine.jobs.context import JobContext, Stopped
from engine.jobs.operation import stored_operation
from engine.jobs.pool import CpuPool
from engine.models.endpoints import Endpoints
from engine.models.settings import check_destination
from store.errors import Busy, DiskFull, RagdeskError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState, PauseReason
from store.sharing.modes import RESERVE, open_own
from store.workspace import Workspace, open_workspace

MAX_JOBS = 3
POLL_SECONDS = 0.1
BEAT_SECONDS = 2.0
IDLE_SECONDS = 2.0
"""How long to wait for more work before ending; starting again costs about as much."""
_PART_BYTES = 256_000
"""What the pages that say how a job ended take at most."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Worker:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.token = uuid.uuid4().hex
        self.pool = CpuPool(workspace.folder)
        self.endpoints = Endpoints(check=partial(check_destination, workspace.folder))
        self.active: dict[int, tuple[JobContext, asyncio.Task[None]]] = {}
        self.ending = False
        self._reserve = _Reserve(workspace.folder / RESERVE)

    async def serve(self) -> None:
        """Works until the queue has been empty for a while, or until SIGTERM."""
        with self.workspace.write() as db:
            if not jobs.become_worker(db, self.token, os.getpid(), socket.gethostname()):
                return
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._end)
        beat = idle = 0.0
        self._reserve.fill()
        try:
            while True:
                if loop.time() - beat >= BEAT_SECONDS:
                    beat = loop.time()
                    self._beat()
                self._claim()
                self._obey()
                self._reap()
                if self.active:
                    idle = loop.time()
                elif self.ending or loop.time() - idle >= IDLE_SECONDS:
                    left = self.ending
                    with _later_if_no_room(), self.workspace.write() as db:
                        left = jobs.leave(db, self.token) or left
                    if left:
                        return
                await self._pause()
        finally:
            self._reserve.remove()
            await self.endpoints.close()
            self.pool.close()

    async def _pause(self) -> None:
        tasks = [task for _, task in self.active.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(POLL_SECONDS)

    def _end(self) -> None:
        self.ending = True
        for context, _ in self.active.values():
            context.stop(JobState.QUEUED)

    def _beat(self) -> None:
        with _later_if_no_room(), self.workspace.write() as db:
            if not jobs.heartbeat(db, self.token):
                # another worker has the seat: anything written from here on would be its business
                os._exit(1)

    def _claim(self) -> None:
        room = MAX_JOBS - len(self.active)
        if self.ending or room <= 0:
            return
        if not jobs.waiting(self.workspace.db, self.token):
            return
        claimed: list[Job] = []
        with _later_if_no_room(), self.workspace.write() as db:
            claimed = jobs.claim(db, self.token, room)
        for job in claimed:
            context = JobContext(self.workspace, job, self.pool, self.endpoints)
            self.active[job.id] = (context, asyncio.create_task(self._work(context)))

    def _obey(self) -> None:
        for job_id, request in jobs.requests(self.workspace.db, self.token).items():
            if job_id in self.active:
                self.active[job_id][0].stop(jobs.REQUESTED[request])

    def _reap(self) -> None:
        for job_id, (_, task) in list(self.active.items()):
            if task.done():
                del self.active[job_id]
                task.result()

    async def _work(self, context: JobContext) -> None:
        job = context.job
        end = Stopped(JobState.DONE)
        try:
            await stored_operation(job).run(context)
        except Stopped as stopped:
            end = stopped
        except DiskFull as error:
            end = _paused_for_room(job, error.message)
        except RagdeskError as error:
            end = Stopped(JobState.FAILED, error=error.message, remedy=error.remedy)
        except Exception as error:  # noqa: BLE001  one job's defect must not end the others
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                await self._settle(job, _paused_for_room(job, f"{error}."))
                return
            with _later_if_no_room():
                context.note("traceback", traceback.format_exc())
            end = Stopped(
                JobState.FAILED,
                error=f"Unexpected {type(error).__name__}: {error}",
                remedy="The job's messages have the details; resuming it tries again.",
            )
        await self._settle(job, end)

    async def _settle(self, job: Job, end: Stopped) -> None:
        """Stores how a job ended, as soon as there is room for that."""
        while True:
            try:
                with self.workspace.write() as db:
                    jobs.settle(
                        db,
                        job.id,
                        self.token,
                        end.state,
                        pause_reason=end.reason,
                        error=end.error,
                        remedy=end.remedy,
                    )
                return
            except DiskFull:
                if not self._reserve.give():
                    if self.ending:
                        return
                    await asyncio.sleep(BEAT_SECONDS)


class _Reserve:
    """A file whose only use is its size: parts of it are given back to a disk that is full."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def fill(self) -> None:
        with (
            contextlib.suppress(OSError),
            os.fdopen(open_own(self._file, os.O_WRONLY), "wb") as file,
        ):
            file.write(bytes(MAX_JOBS * _PART_BYTES))

    def give(self) -> bool:
        """Gives one part back; false when none is left."""
        try:
            size = self._file.stat().st_size
            os.truncate(self._file, max(0, size - _PART_BYTES))
        except OSError:
            return False
        return size > 0

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            self._file.unlink()


@contextlib.contextmanager
def _later_if_no_room() -> Iterator[None]:
    """What could not be written is tried again at the worker's next turn."""
    try:
        yield
    except (DiskFull, Busy) as error:
        print(error, file=sys.stderr)


def _paused_for_room(job: Job, message: str) -> Stopped:
    remedy = "Free some space, then resume the job; nothing that was done is lost."
    return Stopped(JobState.PAUSED, PauseReason.DISK_FULL, message, remedy)


def main(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        asyncio.run(Worker(workspace).serve())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
