"""Taking over what an equal run has answered and scored already."""

from __future__ import annotations

import asyncio

from engine.evaluate.scoring_code import reusable_codes
from engine.jobs.context import JobContext
from store.runs import equal_runs
from store.runs.runs import Run

_ITEMS = 250
"""Of one transaction, so that others who write wait a few hundredths of a second at most."""


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
                    codes=reusable_codes(),
                    judge_id=judge_id,
                    after=after,
                    limit=_ITEMS,
                )
            await asyncio.sleep(0)
