"""Sending work to the child processes in batches, as large as the children are busy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from engine.jobs.pool import CpuPool

Asked = TypeVar("Asked")
Given = TypeVar("Given")

LARGEST = 32


class Batches(Generic[Asked, Given]):
    """Gathers single pieces of work while every child has a batch.

    Going to another process and back costs more than a small piece of work does. An idle child
    gets what is there at once, so nothing ever waits for a batch to fill.
    """

    def __init__(self, pool: CpuPool, function: Callable[[list[Asked]], list[Given]]) -> None:
        self._pool = pool
        self._function = function
        self._waiting: list[tuple[Asked, asyncio.Future[Given]]] = []
        self._senders: set[asyncio.Task[None] | None] = set()

    async def call(self, asked: Asked) -> Given:
        """What `function` gives for one piece of work. Raises what it raises for its batch."""
        future: asyncio.Future[Given] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, future))
        if len(self._senders) < self._pool.size:
            self._senders.add(asyncio.create_task(self._send()))
        return await future

    async def _send(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:LARGEST], self._waiting[LARGEST:]
            try:
                given = await self._pool.call(self._function, [asked for asked, _ in batch])
            except Exception as error:  # noqa: BLE001  raised where each piece was asked for
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
            else:
                for (_, future), one in zip(batch, given, strict=True):
                    if not future.done():
                        future.set_result(one)
        # here and not when the task is done, which is a moment later: work that comes in between
        # would find a sender that looks no more
        self._senders.discard(asyncio.current_task())
