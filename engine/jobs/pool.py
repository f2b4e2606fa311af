"""The worker's child processes, where everything runs that keeps a processor busy.

Functions that run in children name what they need by number and read it from the workspace
themselves, which each child opens once: so little travels between processes.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cached_property
from pathlib import Path
from typing import Generic, ParamSpec, TypeVar

from msgspec import Struct

from engine.settings.reader import SETTINGS_FILE, check_ranges, read_settings
from store.errors import RagdeskError
from store.workspace import Workspace, open_workspace

P = ParamSpec("P")
T = TypeVar("T")
Asked = TypeVar("Asked")
Given = TypeVar("Given")

MOST_CHILDREN = 256
LARGEST = 16
"""The largest batch that one child is given."""
_BATCHES = 2
"""Batches for each child: while it works on one, the next waits for it."""

_folder: Path | None = None
_workspace: Workspace | None = None


def use_folder(folder: Path) -> None:
    """Names the folder of the workspace; called when a child starts."""
    global _folder, _workspace
    _folder, _workspace = folder, None


def child_workspace() -> Workspace:
    """The workspace as a function in a child process reads it, open from the first call on."""
    global _workspace
    if _folder is None:
        raise RuntimeError("use_folder was not called in this process")
    if _workspace is None:
        _workspace = open_workspace(_folder)
    return _workspace


class _Compute(Struct, frozen=True, forbid_unknown_fields=True):
    children: int | None = None


class _File(Struct):
    compute: _Compute = _Compute()


class CpuPool:
    """Runs functions in child processes, where `child_workspace` opens the workspace."""

    def __init__(self, folder: Path, size: int | None = None) -> None:
        self._size = size
        self._folder = folder
        self._executor: ProcessPoolExecutor | None = None

    @cached_property
    def size(self) -> int:
        """The number of children: as the settings say, else one for each processor but the one that
        the worker itself needs.

        Raises InputError, naming file and field, for settings that cannot be read.
        """
        if self._size is not None:
            return self._size
        file = self._folder / SETTINGS_FILE
        children = read_settings(file, _File).compute.children
        check_ranges(f"{file}: compute", [("children", children, 1, MOST_CHILDREN)])
        return children or max(1, len(os.sched_getaffinity(0)) - 1)

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `function(*args)` computed in a child; its exception is raised here.

        Raises RagdeskError when the child died, which is what running out of memory looks like.
        """
        if kwargs:
            raise TypeError("only positional arguments travel to a child process")
        if self._executor is None:
            # spawn: a forked child would share the parent's SQLite connection and event loop
            self._executor = ProcessPoolExecutor(
                self.size,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start_child,
                initargs=(self._folder,),
            )
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._executor, function, *args)
        except BrokenProcessPool as error:
            self.close()
            raise RagdeskError(
                "A computing process ended abruptly; the machine may be out of memory.",
                "Free some memory, then resume the job.",
            ) from error

    def close(self) -> None:
        """Ends the children, each after what it computes at the moment."""
        if self._executor is not None:
            # the end of the process waits for the executor's thread in any case, and wakes it
            # through a pipe that the thread may be closing just then
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None


def _start_child(folder: Path) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    use_folder(folder)


def _end_with_parent() -> None:
    """A killed worker cannot tell its children to end, so they wait for its end."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


class Batches(Generic[Asked, Given]):
    """Gathers single pieces of work while every child has a batch and finds another after it.

    Going to another process and back costs more than a small piece of work does. An idle child
    gets its share of what is there at once, so nothing ever waits for a batch to fill.
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
        if len(self._senders) < self._pool.size * _BATCHES:
            self._senders.add(asyncio.create_task(self._send()))
        return await future

    async def _send(self) -> None:
        while self._waiting:
            share = min(LARGEST, math.ceil(len(self._waiting) / self._pool.size))
            batch, self._waiting = self._waiting[:share], self._waiting[share:]
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
