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

from engine.labelling.agreement_records import By
from engine.results.run_matrix import run_matrix
from store.errors import RagdeskError
from store.workspace import FILE_NAME, Workspace, explain, open_workspace
from tui.building.requests import BuildRequest
from tui.exporting.requests import DatasetExport, JudgeDataExport
from tui.statistics.requests import WorkRequest
from tui.statistics.requests import compute as compute_work

_LENGTH = struct.Struct(">I")


class MatrixRequest(msgspec.Struct, frozen=True, tag=True):
    run: str
    metric: str
    variant: str
    judge: str
    rows: str
    cols: str


class CompareRequest(msgspec.Struct, frozen=True, tag=True):
    run_a: str
    run_b: str
    metric: str
    variant: str
    judge: str
    rows: str
    cols: str


class PairsRequest(msgspec.Struct, frozen=True, tag=True):
    """The turns behind a cell of a comparison; a row or column of None is all of them."""

    of: CompareRequest
    row: str | None
    col: str | None


class LeaderboardRequest(msgspec.Struct, frozen=True, tag=True):
    runs: tuple[str, ...]
    metric: str
    variant: str
    judge: str


class TableRequest(msgspec.Struct, frozen=True, tag=True):
    runs: tuple[str, ...]
    judge: str | None
    """None where only one judge has scored."""


class AgreementRequest(msgspec.Struct, frozen=True, tag=True):
    """How far raters agree; a sample of None is all labels, a field of "" every field."""

    form: str
    sample: str | None
    by: By
    field: str


class CalibrationRequest(msgspec.Struct, frozen=True, tag=True):
    """Judges against people; a sample of None is all labels."""

    sample: str | None


class PreviewRequest(msgspec.Struct, frozen=True, tag=True):
    export: DatasetExport | JudgeDataExport


class ExportRequest(msgspec.Struct, frozen=True, tag=True):
    """Write an export into a folder, and check what was written."""

    export: DatasetExport | JudgeDataExport
    out: str
    force: bool


class WordsRequest(msgspec.Struct, frozen=True, tag=True):
    """The words of a text, for moving in it."""

    text: str


class AnswersRequest(msgspec.Struct, frozen=True, tag=True):
    """Some answers read beside what was retrieved for them."""

    predictions: tuple[int, ...]


Request = (
    MatrixRequest
    | CompareRequest
    | PairsRequest
    | LeaderboardRequest
    | TableRequest
    | AgreementRequest
    | CalibrationRequest
    | PreviewRequest
    | ExportRequest
    | WordsRequest
    | AnswersRequest
    | BuildRequest
    | WorkRequest
)


class Reply(msgspec.Struct, frozen=True):
    """Either the answer, as a msgpack document of its own, or what went wrong."""

    body: bytes | None = None
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


def answer(folder: Path, request: Request) -> Reply:
    try:
        with open_workspace(folder) as workspace:
            return Reply(msgspec.msgpack.encode(_compute(workspace, request)))
    except RagdeskError as error:
        return Reply(None, error.message, error.remedy)
    except sqlite3.Error as error:
        told = explain(error, folder / FILE_NAME)
        return Reply(None, told.message, told.remedy)


def _compute(workspace: Workspace, request: Request) -> object:
    # imported here and not above: the app imports this module for its requests
    if isinstance(request, BuildRequest):
        from tui.building.answers import build

        return build(workspace, request)
    if isinstance(request, WorkRequest):
        return compute_work(workspace, request)
    match request:
        case AgreementRequest(form, sample, by, field):
            from engine.labelling.agreement import rater_agreement

            return rater_agreement(workspace.db, form, sample=sample, by=by, field=field)
        case CalibrationRequest(sample):
            from engine.calibration.calibrate import calibrate_judges

            return calibrate_judges(workspace, sample=sample)
        case PreviewRequest(export):
            from tui.exporting.writing import preview

            return preview(workspace, export)
        case ExportRequest(export, out, force):
            from tui.exporting.writing import write

            return write(workspace, export, Path(out), force=force)
    return _compute_results(workspace.db, request)


def _compute_results(db: sqlite3.Connection, request: Request) -> object:
    from engine.labelling.answer_reading import read_prediction
    from engine.results.run_comparison import compare_runs, paired_scores, rank_runs
    from engine.results.run_table import run_table
    from engine.text.segmentation import word_spans

    match request:
        case MatrixRequest(run, metric, variant, judge, rows, cols):
            return run_matrix(db, run, metric, variant=variant, judge=judge, rows=rows, cols=cols)
        case CompareRequest(a, b, metric, variant, judge, rows, cols):
            return compare_runs(
                db, a, b, metric, variant=variant, judge=judge, rows=rows, cols=cols
            )
        case PairsRequest(of, row, col):
            return paired_scores(
                db,
                of.run_a,
                of.run_b,
                of.metric,
                variant=of.variant,
                judge=of.judge,
                rows=of.rows,
                cols=of.cols,
                row=row,
                col=col,
            )
        case LeaderboardRequest(names, metric, variant, judge):
            _, board = rank_runs(db, names, metric, variant=variant, judge=judge)
            return board
        case TableRequest(names, table_judge):
            return run_table(db, names, judge=table_judge)
        case WordsRequest(text):
            return word_spans(text)
        case AnswersRequest(predictions):
            return tuple(read_prediction(db, one) for one in predictions)
    raise AssertionError(f"nothing computes {request}")


def main(folder: Path) -> None:
    # the first request would else wait for this import; nothing here is in a hurry before it
    import numpy as np  # noqa: F401

    decoder: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
    while (body := receive(sys.stdin.buffer)) is not None:
        send(sys.stdout.buffer, answer(folder, decoder.decode(body)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
