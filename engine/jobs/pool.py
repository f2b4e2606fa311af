"""The worker's child processes, where everything runs that keeps a processor busy."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import ParamSpec, TypeVar

from engine.jobs import child
from store.errors import RagdeskError

P = ParamSpec("P")
T = TypeVar("T")

MAX_CHILDREN = 4
"""Each child holds its own index in memory, so more processors do not mean ever more children."""


class CpuPool:
    """Runs functions in child processes, where `engine.jobs.child` opens the workspace."""

    def __init__(self, folder: Path, size: int | None = None) -> None:
        self.size = size or max(1, min(MAX_CHILDREN, (os.cpu_count() or 2) - 1))
        self._folder = folder
        self._executor: ProcessPoolExecutor | None = None

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
                "Free some memory, then `ragdesk jobs resume`.",
            ) from error

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None


def _start_child(folder: Path) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    child.use_folder(folder)


def _end_with_parent() -> None:
    """A killed worker cannot tell its children to end, so they wait for its end."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
