"""The work in threads that the app is waiting for, with its start times."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from textual.app import App
from textual.timer import Timer
from textual.worker import Worker

from tui.language import tr

WORKING_AFTER = 0.2
"""Seconds after which a wait is shown; its length is shown from 2 s on."""

Done = Callable[[Any], Awaitable[None] | None]
"""What is done with the result of a piece of work."""


@dataclass
class _Task:
    what: str
    done: Done
    began: float = field(default_factory=time.monotonic)
    shown: bool = False

    @property
    def waited(self) -> float:
        """Seconds since the wait began."""
        return time.monotonic() - self.began


class Waits:
    """The work in threads of an app; calls `changed` whenever `text` may have changed."""

    def __init__(self, app: App[Any], changed: Callable[[], None]) -> None:
        self._app, self._changed = app, changed
        self._tasks: dict[Worker[Any], _Task] = {}
        self._ticker: Timer | None = None

    @property
    def text(self) -> str:
        """`working: computing the matrix 3 s`; empty while nothing takes long."""
        waiting = [task for task in self._tasks.values() if task.shown]
        if not waiting:
            return ""
        longest = max(task.waited for task in waiting)
        working = tr("working: {what}", what=tr(waiting[0].what))
        return tr("{working} {n:.0f} s", working=working, n=longest) if longest >= 2 else working

    def begin(self, worker: Worker[Any], what: str, done: Done) -> None:
        """Wait for a worker; `what` says what for."""
        # one that was cancelled before it began never says that it has ended
        self._tasks = {one: task for one, task in self._tasks.items() if not one.is_cancelled}
        self._tasks[worker] = _Task(what, done)
        self._app.set_timer(WORKING_AFTER, self._show)

    def end(self, worker: Worker[Any]) -> Done | None:
        """Ends a wait; returns the function for its result, or None for a worker that is
        unknown."""
        task = self._tasks.pop(worker, None)
        if task is None:
            return None
        self._show()
        return task.done

    def _show(self) -> None:
        for task in self._tasks.values():
            task.shown = task.shown or task.waited >= WORKING_AFTER
        if any(task.shown for task in self._tasks.values()):
            if self._ticker is None:
                self._ticker = self._app.set_interval(1.0, self._show)
        elif self._ticker is not None:
            self._ticker.stop()
            self._ticker = None
        self._changed()
