"""Group commit: what many tasks have to write at one moment goes into one transaction."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable

from store.workspace import Workspace

Write = Callable[[sqlite3.Connection], object]


class GroupCommit:
    """Commits writes together that come within one turn of the event loop.

    A write is in the file when `write` returns, exactly as in a transaction of its own; what is
    saved is the cost of a transaction for each. When one of them breaks, none is written and all
    who wait learn why.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._waiting: list[Write] = []
        self._next: asyncio.Task[None] | None = None

    async def write(self, work: Write) -> None:
        """Calls `work` with the connection inside a transaction; returns once it is committed."""
        self._waiting.append(work)
        if self._next is None:
            self._next = asyncio.create_task(self._commit())
        # whoever is cancelled must not take the others' transaction along
        await asyncio.shield(self._next)

    async def _commit(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._next = None
        with self._workspace.write() as db:
            for work in waiting:
                work(db)
