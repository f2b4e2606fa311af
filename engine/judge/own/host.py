"""The process that runs a Python file of the workspace: a program of its own.

It reads a JSON object a line from its standard input and answers each with one: first the source of
the file, then case after case. It imports nothing of ragdesk. What the file prints is thrown away,
so that it cannot be taken for an answer.
"""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Callable
from typing import Any

LONGEST_REPLY = 1024 * 1024
_GRACE_S = 1.0
"""So long after the time allowed the process ends itself, where nobody is left to do so."""
_MODULE = "workspace_file"

Judge = Callable[[dict[str, Any]], Any]


def serve() -> None:
    """Answers requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    judge: Judge | None = None
    allowed_s = 0.0
    for line in requests:
        try:
            request = json.loads(line)
            if judge is None:
                allowed_s = request["timeout_s"] + _GRACE_S
                signal.setitimer(signal.ITIMER_REAL, allowed_s)
                judge, result = _load(request), None
            else:
                signal.setitimer(signal.ITIMER_REAL, allowed_s)
                result = judge(request)
            text = json.dumps({"result": result})
        except BaseException as error:  # noqa: BLE001  # whatever it raises, SystemExit too
            text = json.dumps({"error": _told(error)})
        if len(text) > LONGEST_REPLY:
            text = json.dumps({"error": f"a result of {len(text):,} characters is too long"})
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(text + "\n")
        answers.flush()


def _load(request: dict[str, Any]) -> Judge:
    """The function `judge` of the file."""
    _limit(request["memory_mb"])
    module: dict[str, Any] = {"__name__": _MODULE, "__file__": request["file"]}
    exec(compile(request["source"], request["file"], "exec"), module)
    if not callable(module.get("judge")):
        raise TypeError("the file defines no function judge(case)")
    judge: Judge = module["judge"]
    return judge


def _limit(megabytes: int) -> None:
    """Bounds the memory of this process, for good."""
    size = megabytes * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    size = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _told(error: BaseException) -> str:
    """The error and the line of the file in which it was raised."""
    at, line = error.__traceback__, 0
    while at is not None:
        if at.tb_frame.f_globals.get("__name__") == _MODULE:
            line = at.tb_lineno
        at = at.tb_next
    where = f" (line {line})" if line else ""
    return f"{type(error).__name__}: {error}{where}"[:500]


if __name__ == "__main__":
    serve()
