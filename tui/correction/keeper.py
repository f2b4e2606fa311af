"""Keeps what is typed: each change is on the disk a moment later, and typing never waits for it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from engine.labelling.session import LabelSession
from store.errors import RagdeskError
from store.faults import explain
from store.labels.log.events import Subject
from store.workspace import FILE_NAME, open_workspace
from tui.shell.hangup import before_hangup

PAUSE = 0.3
"""Seconds between two writes, at least; what was typed meanwhile is written together."""
RETRY = 2.0
BUSY_MS = 4000
"""How long a write waits for another process; the app may wait for it when it is left."""


class Wanted(NamedTuple):
    subject: Subject
    field: str
    text: str


class DraftKeeper:
    """Writes drafts in a thread of its own, the latest only; `close` it when done."""

    def __init__(
        self, folder: Path, form_key: str, rater: str, failed: Callable[[str], None]
    ) -> None:
        """`failed` is called in the thread with what is wrong, and with nothing once it is well
        again."""
        self._folder = folder
        self._form_key = form_key
        self._rater = rater
        self._failed = failed
        self._wanted: Wanted | None = None
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._is_closed = False
        self._is_failing = False
        self._thread = threading.Thread(target=self._work, name="drafts", daemon=True)
        self._thread.start()
        self._forget_hangup = before_hangup(self.flush)

    def keep(self, subject: Subject, field: str, text: str) -> None:
        """Have this draft on the disk soon; it takes the place of one that is still waiting."""
        with self._changed:
            self._wanted = Wanted(subject, field, text)
            self._changed.notify()

    def flush(self) -> bool:
        """Write what is waiting, now; False when that failed, and it goes on waiting."""
        with self._writing:
            with self._changed:
                wanted, self._wanted = self._wanted, None
            if wanted is None or self._write(wanted):
                return True
            with self._changed:
                self._wanted = self._wanted or wanted
            return False

    def drop(self) -> None:
        """Forget what is waiting, and wait for what is being written: no draft comes after this."""
        with self._changed:
            self._wanted = None
        with self._writing:
            pass

    def close(self) -> None:
        """Write what is waiting, and end the thread."""
        self._forget_hangup()
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()
        self.flush()

    def _work(self) -> None:
        while not self._is_closed:
            with self._changed:
                while self._wanted is None and not self._is_closed:
                    self._changed.wait()
            is_kept = self.flush()
            with self._changed:
                # not `wait`: a change that comes meanwhile is written after the pause
                self._changed.wait_for(lambda: self._is_closed, PAUSE if is_kept else RETRY)

    def _write(self, wanted: Wanted) -> bool:
        try:
            with open_workspace(self._folder, busy_ms=BUSY_MS) as workspace:
                session = LabelSession(workspace, self._form_key, self._rater)
                session.save_draft(wanted.subject, wanted.field, wanted.text)
        except (RagdeskError, sqlite3.Error) as error:
            if isinstance(error, sqlite3.Error):
                error = explain(error, self._folder / FILE_NAME)
            self._is_failing = True
            self._failed(str(error))
            return False
        if self._is_failing:
            self._is_failing = False
            self._failed("")
        return True
