"""Scoring a queued run with the worker's own job and a real child process, without the worker."""

from __future__ import annotations

import asyncio

from engine.jobs.context import JobContext
from engine.jobs.operation import stored_operation
from engine.jobs.pool import CpuPool
from engine.models.endpoints import Endpoints
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store.jobs.jobs import Job
from store.workspace import Workspace


def score_run(workspace: Workspace, job: Job | None) -> None:
    """Works the job of a run to its end."""
    assert job is not None
    pool = CpuPool(workspace.folder, size=1)

    async def work() -> None:
        async with Endpoints() as endpoints:
            await stored_operation(job).run(JobContext(workspace, job, pool, endpoints))

    try:
        asyncio.run(work())
    finally:
        pool.close()


def mean(workspace: Workspace, run: str, metric: str, **chosen: str) -> float | None:
    """The run's mean of a metric over all predictions, on [0, 1]."""
    return run_matrix(workspace.db, run, MetricQuery(metric, **chosen)).matrix.total.summary.mean
