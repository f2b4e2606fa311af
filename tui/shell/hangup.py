"""Hooks that save half-typed text when the terminal goes away.

A lost connection sends SIGHUP, which ends the process. The hooks run in a thread of their own,
since the main thread may be in the middle of a write, or waiting for a terminal that no longer
reads; then the process ends as the signal would have ended it.
"""

from __future__ import annotations

import _thread
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

Hook = Callable[[], object]

EXIT_CODE = 128 + signal.SIGHUP
PATIENCE = 10.0
"""Seconds that the hooks get together."""

_hooks: list[Hook] = []


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


def _hung_up(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # `Thread.start` would wait for a lock that the main thread holds if it was starting one itself
    _thread.start_new_thread(_finish, (tuple(_hooks),))


def _finish(hooks: tuple[Hook, ...]) -> None:
    working = [threading.Thread(target=hook, daemon=True) for hook in hooks]
    for thread in working:
        thread.start()
    for thread in working:
        thread.join(PATIENCE / len(working))
    # not `sys.exit`: there is no terminal left to put in order, and the main thread may be stuck
    os._exit(EXIT_CODE)


def _nothing() -> None:
    pass
