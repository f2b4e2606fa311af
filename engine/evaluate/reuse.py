"""Taking over what an equal run has answered and scored already."""

from __future__ import annotations

import asyncio
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from engine.jobs.context import JobContext
from store.runs import equal_runs
from store.runs.runs import Run

_ITEMS = 250
"""Of one transaction, so that others who write wait a few hundredths of a second at most."""
_COMPUTING = ("jieba", "numpy", "rapidfuzz", "regex", "rjieba")
"""Packages that take part in scores."""


@cache
def scoring_code() -> str:
    """The identity of all code that scores depend on: the engine's source and the packages."""
    root = Path(__file__).parents[1]
    digest = sha256("\n".join(metadata.version(package) for package in _COMPUTING).encode())
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


async def copy_equal(context: JobContext, run: Run, judge_id: int) -> None:
    """Copies what runs equal to `run` hold, newest first, until a stop is asked for."""
    for source in equal_runs.find(context.workspace.db, run):
        after: int | None = -1
        while after is not None and not context.stopping:
            with context.workspace.write() as db:
                after = equal_runs.copy(
                    db,
                    source,
                    run.id,
                    code=scoring_code(),
                    judge_id=judge_id,
                    after=after,
                    limit=_ITEMS,
                )
            await asyncio.sleep(0)
