"""Working the subjects of a job several at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from engine.jobs.context import JobContext, Stopped

Subject = TypeVar("Subject")


async def side_by_side(
    context: JobContext,
    subjects: Iterator[Subject],
    in_flight: int,
    work: Callable[[Subject], Awaitable[None]],
) -> None:
    """Works the subjects in their order, `in_flight` at once, until none is left or the job is to
    stop.

    An end that somebody, the provider or the budget asks for lets what is in flight finish. Any
    other error ends all.
    """

    async def one_after_another() -> None:
        for subject in subjects:
            if context.stopping:
                return
            try:
                await work(subject)
            except Stopped as stopped:
                context.end(stopped)

    tasks = [asyncio.create_task(one_after_another()) for _ in range(in_flight)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
