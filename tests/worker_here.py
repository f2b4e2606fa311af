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
from store.workspace import open_workspace

P = ParamSpec("P")
T = TypeVar("T")


class PoolHere(CpuPool):
    """Computes where it is called."""

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        await asyncio.sleep(0)
        return function(*args, **kwargs)


def work_here(
    folder: Path, environ: Mapping[str, str] = ENVIRON, *, patience_s: float | None = None
) -> None:
    """Runs the worker until nothing is queued or running; raises TimeoutError after `patience_s`
    seconds."""
    with (
        open_workspace(folder) as workspace,
        patch.dict(os.environ, environ),
        patch.object(worker, "IDLE_SECONDS", 0.0),
        patch.object(worker, "POLL_SECONDS", 0.01),
    ):
        here = worker.Worker(workspace)
        here.pool = PoolHere(folder, size=2)
        pool.use_folder(folder)
        asyncio.run(asyncio.wait_for(here.serve(), patience_s))
