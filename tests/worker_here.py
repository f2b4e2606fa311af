"""The worker in the process of the test: the same loop and jobs, without starting processes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ParamSpec, TypeVar
from unittest.mock import patch

from endpoint_workspaces import ENVIRON

from engine.jobs import pool, worker
from engine.jobs.pool import CpuPool
from store.jobs import jobs
from store.records import JobState
from store.workspace import Workspace, open_workspace

P = ParamSpec("P")
T = TypeVar("T")

WORKING = (JobState.QUEUED, JobState.RUNNING)


class PoolHere(CpuPool):
    """Computes where it is called."""

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        await asyncio.sleep(0)
        return function(*args, **kwargs)


def work_here(
    folder: Path, environ: Mapping[str, str] = ENVIRON, *, patience_s: float | None = None
) -> None:
    """Runs the worker until nothing is queued or running, or waits for that where a worker that a
    command has started has the seat; raises TimeoutError after `patience_s` seconds."""
    with (
        open_workspace(folder) as workspace,
        patch.dict(os.environ, environ),
        patch.object(worker, "IDLE_SECONDS", 0.0),
        patch.object(worker, "POLL_SECONDS", 0.01),
    ):
        pool.use_folder(folder)
        asyncio.run(asyncio.wait_for(_work(workspace), patience_s))


async def _work(workspace: Workspace) -> None:
    while True:
        here = worker.Worker(workspace)
        here.pool = PoolHere(workspace.folder, size=2)
        await here.serve()
        if not any(job.state in WORKING for job in jobs.listing(workspace.db)):
            return
        await asyncio.sleep(worker.POLL_SECONDS)
