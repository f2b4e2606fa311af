"""The process that runs a user's Python code: a program of its own, for any Python since 3.9.

It reads a JSON object a line from its standard input and answers each with one of the same `id`:
first what to load, then case after case. It imports nothing of ragdesk. What the code prints is
thrown away, so that it cannot be taken for an answer.

To load is either the text of a file (`source`, with its name in `file` and the function's in
`name`), or a function that can be imported (`module` and `name`, found in `folder` first).
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

_GRACE_S = 1.0
"""So long after the time allowed the process ends itself, where nobody is left to do so."""
_MODULE = "workspace_file"
"""The name of a module that is loaded from the text of its file."""

Function = Callable[[dict[str, Any]], Any]


def serve() -> None:
    """Answers requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    function: Function | None = None
    allowed_s, most_bytes = 0.0, 0
    for line in requests:
        request = json.loads(line)
        number = request.pop("id")
        try:
            if function is None:
                allowed_s, most_bytes = request["timeout_s"] + _GRACE_S, request["most_bytes"]
                signal.setitimer(signal.ITIMER_REAL, request["start_s"] + _GRACE_S)
                function, result = _load(request), None
            else:
                signal.setitimer(signal.ITIMER_REAL, allowed_s)
                result = function(request)
            text = json.dumps({"id": number, "result": result})
        except BaseException as error:  # noqa: BLE001  # whatever it raises, SystemExit too
            text = json.dumps({"id": number, "error": _told(error)})
        if len(text) > most_bytes > 0:
            words = f"a result of {len(text):,} characters is too long"
            text = json.dumps({"id": number, "error": words})
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(text + "\n")
        answers.flush()


def _load(request: dict[str, Any]) -> Function:
    """The function that a request names."""
    name = request["name"]
    # the folder of this program is no place to import from
    sys.path[0] = request.get("folder", "")
    if not sys.path[0]:
        del sys.path[0]
    if "source" in request:
        module: dict[str, Any] = {"__name__": _MODULE, "__file__": request["file"]}
        exec(compile(request["source"], request["file"], "exec"), module)
        function = module.get(name)
    else:
        function = getattr(importlib.import_module(request["module"]), name, None)
    if not callable(function):
        where = request.get("module", "the file")
        raise TypeError(f"{where} defines no function {name}(case)")
    named: Function = function
    return named


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
