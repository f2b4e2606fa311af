"""The thread that watches the workspace for changes several times a second."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from store.errors import RagdeskError
from store.faults import explain
from store.workspace import FILE_NAME, Workspace, open_workspace
from tui.live.facts import Facts
from tui.live.reader import Reader

POLL_SECONDS = 0.25
LEAST_REST = 3.0
"""The thread rests at least this many times as long as its last look took."""

Deliver = Callable[[Facts], object]


class Watcher:
    """Reads `Facts` over a connection of its own, so that no screen ever waits for them.

    It begins before the app does; what it has seen by then is `latest`. A file that is replaced,
    deleted or comes back is noticed by its inode.
    """

    def __init__(self, folder: Path, rater: str = "") -> None:
        """`rater` is whom what waits is counted for."""
        self.folder = folder
        self.rater = rater
        self.latest = Facts(folder)
        self._deliver: Deliver | None = None
        self._ending = threading.Event()
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._reader: Reader | None = None
        self._version = -1
        self._inode: tuple[int, int] | None = None
        self._opened = 0
        self.first_look = threading.Event()
        """Set once `latest` is what the workspace holds."""
        self._thread = threading.Thread(target=self._watch, name="watcher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def attach(self, deliver: Deliver) -> None:
        """Registers `deliver`, which is called in the watcher's thread with each change from now
        on."""
        with self._lock:
            self._deliver = deliver

    def look_now(self) -> None:
        """Looks at once instead of at the next interval, after something was written."""
        self._wake.set()

    def stop(self) -> None:
        """Ends the thread; returns when its connection is closed."""
        self._ending.set()
        self._wake.set()
        self._thread.join(timeout=2.0)

    def _watch(self) -> None:
        while not self._ending.is_set():
            began = time.monotonic()
            facts = replace(self._look(), is_known=True)
            if facts != self.latest:
                self.latest = facts
                with self._lock:
                    if self._deliver is not None:
                        self._deliver(facts)
            self.first_look.set()
            took = time.monotonic() - began
            self._wake.wait(max(POLL_SECONDS - took, took * LEAST_REST))
            self._wake.clear()
        self._close()

    def _look(self) -> Facts:
        try:
            if not self._is_there():
                self._close()
                return replace(self.latest, is_open=False, problem="")
            if self._workspace is None:
                self._open()
            return self._read()
        except sqlite3.Error as error:
            self._close()
            return replace(self.latest, problem=str(explain(error, self.folder / FILE_NAME)))
        except RagdeskError as error:
            self._close()
            return replace(self.latest, problem=str(error))

    def _is_there(self) -> bool:
        inode = inode_of(self.folder)
        if inode != self._inode:
            self._close()
        self._inode = inode
        return inode is not None

    def _open(self) -> None:
        self._workspace = open_workspace(self.folder).keep_small()
        self._reader = Reader(self._workspace.db, self.rater)
        self._version = -1
        self._opened += 1

    def _read(self) -> Facts:
        assert self._workspace is not None
        if self._workspace.is_outdated:
            self._close()
            self._open()
        assert self._reader is not None
        version = self._workspace.data_version()
        # what is being worked on changes with time alone: rates fall, leases expire
        is_still = not (self.latest.active or self.latest.problem or self._reader.is_due)
        if version == self._version and is_still:
            return self.latest
        self._version = version
        facts = self._reader.read(self.folder, self._opened)
        return replace(facts, role=self._workspace.role)

    def _close(self) -> None:
        if self._workspace is not None:
            self._workspace.close()
        self._workspace = self._reader = None


def inode_of(folder: Path) -> tuple[int, int] | None:
    """Returns the device and inode of the workspace's file, which identify it; None without a
    file."""
    try:
        status = (folder / FILE_NAME).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
