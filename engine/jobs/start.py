"""Starting work: an operation in the queue, and a detached worker that does it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.jobs.operation import Estimate, Operation, decoded, encoded, queue
from store.jobs import jobs
from store.jobs.jobs import Job
from store.sharing.modes import WORKER_LOG, open_own
from store.workspace import Workspace

_QUIET = ("-W", "ignore:resource_tracker")
"""What a killed worker leaves is cleared away by a helper of Python's, which need not tell it in
the log each time."""


def start(workspace: Workspace, operation: Operation) -> Job:
    """The operation's job, with a worker that will do it. Raises what `queue` raises."""
    job = queue(workspace, operation)
    ensure_worker(workspace)
    return job


def ensure_worker(workspace: Workspace) -> None:
    """Starts the workspace's worker unless one is alive.

    It gets a session of its own, so that closing the app or losing the SSH connection leaves it
    running. Two that start at once are harmless: the second finds the seat taken and ends.
    """
    held = jobs.worker(workspace.db)
    if held is not None and held.alive:
        return
    log_file = open_own(workspace.folder / WORKER_LOG, os.O_WRONLY | os.O_APPEND)
    with os.fdopen(log_file, "ab") as log:
        # -P: a folder called `store` or `engine` where the operator stands is never imported
        subprocess.Popen(
            [
                sys.executable,
                "-P",
                *_QUIET,
                "-m",
                "engine.jobs.worker",
                str(workspace.folder.resolve()),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=Path("/") if sys.platform != "win32" else None,
        )


class EstimateQuery(Struct, frozen=True):
    """What an operation would take of a model."""

    operation: dict[str, Any]

    @classmethod
    def of(cls, operation: Operation) -> EstimateQuery:
        return cls(encoded(operation))

    def answer(self, workspace: Workspace) -> Estimate:
        """Raises what the operation's `estimate` raises."""
        return decoded(self.operation).estimate(workspace)


class QueueQuery(Struct, frozen=True):
    """Have an operation put into the queue, with a worker that will do it."""

    operation: dict[str, Any]

    @classmethod
    def of(cls, operation: Operation) -> QueueQuery:
        return cls(encoded(operation))

    def answer(self, workspace: Workspace) -> Job:
        """Raises what `start` raises."""
        return start(workspace, decoded(self.operation))
