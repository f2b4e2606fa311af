"""A process that calls functions for whoever started it: `unix_accounts` has one for each account.

Requests and replies are pickles on standard input and output.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import sys
from importlib import import_module
from pathlib import Path


def ragdesk(folder: Path, words: tuple[str, ...]) -> tuple[int, str, str]:
    """Runs a command; returns its exit code, output and messages."""
    from tui.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*words, "--workspace", str(folder)])
    return code, out.getvalue(), err.getvalue()


def serve() -> None:
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed by the way is no reply
    while True:
        try:
            module, name, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            reply = (getattr(import_module(module), name)(*arguments), None)
        except Exception as error:  # noqa: BLE001  raised where it was asked for
            reply = (None, error)
        pickle.dump(reply, replies)
        replies.flush()


if __name__ == "__main__":
    serve()
