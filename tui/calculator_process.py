"""The child process in which results are computed: `python -P -m tui.calculator_process FOLDER`.

Requests come on standard input and replies leave on standard output, each a length (4 bytes, big
endian) and a msgpack document. It ends when its input does, so it never outlives the app.
"""

from __future__ import annotations

import sqlite3
import struct
import sys
from pathlib import Path
from typing import IO

import msgspec

from engine.results import RunMatrix, run_matrix
from store.errors import RagdeskError
from store.workspace import FILE_NAME, explain, open_workspace

_LENGTH = struct.Struct(">I")


class MatrixRequest(msgspec.Struct, frozen=True):
    run: str
    metric: str
    variant: str
    judge: str
    rows: str
    cols: str


class Reply(msgspec.Struct, frozen=True):
    """Either a matrix or what went wrong."""

    matrix: RunMatrix | None = None
    error: str = ""
    remedy: str = ""


def send(stream: IO[bytes], value: msgspec.Struct) -> None:
    body = msgspec.msgpack.encode(value)
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next document; None when the stream has ended."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


def answer(folder: Path, request: MatrixRequest) -> Reply:
    try:
        with open_workspace(folder) as workspace:
            found = run_matrix(
                workspace.db,
                request.run,
                request.metric,
                variant=request.variant,
                judge=request.judge,
                rows=request.rows,
                cols=request.cols,
            )
        return Reply(found)
    except RagdeskError as error:
        return Reply(None, error.message, error.remedy)
    except sqlite3.Error as error:
        told = explain(error, folder / FILE_NAME)
        return Reply(None, told.message, told.remedy)


def main(folder: Path) -> None:
    # the first request would else wait for this import; nothing here is in a hurry before it
    import numpy as np  # noqa: F401

    decoder = msgspec.msgpack.Decoder(MatrixRequest)
    while (body := receive(sys.stdin.buffer)) is not None:
        send(sys.stdout.buffer, answer(folder, decoder.decode(body)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
