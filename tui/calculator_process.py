"""The child process in which results are computed: `python -P -m tui.calculator_process FOLDER`.

Questions come on standard input and replies leave on standard output, as
`tui.calculator.protocol` says. It ends when its input does, so it never outlives the app.
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import msgspec

from store.errors import RagdeskError
from store.faults import explain
from store.workspace import FILE_NAME, open_workspace
from tui.calculator.protocol import Question, Reply, receive, send


def reply_to(folder: Path, question: Question) -> Reply:
    try:
        query = question.query()
        with open_workspace(folder) as workspace:
            return Reply(msgspec.msgpack.encode(query.answer(workspace)))
    except RagdeskError as error:
        return Reply(None, error.message, error.remedy)
    except sqlite3.Error as error:
        problem = explain(error, folder / FILE_NAME)
        return Reply(None, problem.message, problem.remedy)


def main(folder: Path) -> None:
    # the first question would else wait for this import; nothing here is in a hurry before it
    import numpy as np  # noqa: F401

    decoder = msgspec.msgpack.Decoder(Question)
    while (body := receive(sys.stdin.buffer)) is not None:
        send(sys.stdout.buffer, reply_to(folder, decoder.decode(body)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
