"""Hooks that save half-typed text when the terminal goes away.

A lost connection sends SIGHUP, which ends the process. The hooks run in a thread of their own,
since the main thread may be in the middle of a write, or waiting for a terminal that no longer
reads; then the process ends as the signal would have ended it. It also ends where no signal comes:
to a process that ignores it, or that has no controlling terminal (`setsid`, some containers).
"""

from __future__ import annotations

import _thread
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

Hook = Callable[[], object]

EXIT_CODE = 128 + signal.SIGHUP
PATIENCE = 10.0
"""Seconds that the hooks get together."""

SIGNAL_SECONDS = 1.0
"""How long a terminal that went away is left to its signal."""

_hooks: list[Hook] = []
_ending = threading.Lock()
"""Held once the process ends, so that signal and terminal call the hooks once."""


def before_hangup(hook: Hook) -> Callable[[], None]:
    """Registers `hook`, which a thread calls when the terminal hangs up; returns the function that
    unregisters it.

    It is to write with a connection of its own. Outside the main thread of a process, where no
    signal can be watched, nothing is called.
    """
    if threading.current_thread() is not threading.main_thread():
        return _nothing
    if not _hooks:
        signal.signal(signal.SIGHUP, _hung_up)
    _hooks.append(hook)

    def forget() -> None:
        if hook in _hooks:
            _hooks.remove(hook)
        if not _hooks:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)

    return forget


def end_with_terminal(terminal: int) -> None:
    """Ends the process, after the hooks, once the terminal behind a descriptor is gone, whether a
    signal says so or not: reading it would give nothing forever, at the cost of a core."""
    gone = select.poll()
    gone.register(terminal, 0)

    def watch() -> None:
        if any(event & select.POLLHUP for _, event in gone.poll()):
            time.sleep(SIGNAL_SECONDS)
            _finish()

    threading.Thread(target=watch, daemon=True).start()


def _hung_up(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # `Thread.start` would wait for a lock that the main thread holds if it was starting one itself
    _thread.start_new_thread(_finish, ())


def _finish() -> None:
    if not _ending.acquire(blocking=False):
        return
    hooks = tuple(_hooks)
    working = [threading.Thread(target=hook, daemon=True) for hook in hooks]
    for thread in working:
        thread.start()
    for thread in working:
        thread.join(PATIENCE / len(working))
    # not `sys.exit`: there is no terminal left to put in order, and the main thread may be stuck
    os._exit(EXIT_CODE)


def _nothing() -> None:
    pass
