"""Runs as tables, which anything can read: JSON Lines, CSV, Parquet, SQLite."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.exporters.runs import RunExport
from store.formats import parquet
from store.formats.csv_cells import csv_of
from store.formats.folder import ExportFolder
from store.formats.sqlite_tables import table_file
from store.records import PredictionState

PREDICTIONS = (
    *("run", "item", "turn", "repeat", "group_key", "topic", "task", "lang", "question"),
    *("golden_answers", "state", "answer", "error_kind", "error_text", "retrieved", "finished_at"),
    "stages",
)
SCORES = (
    *("run", "item", "turn", "repeat", "metric", "variant", "judge", "judge_hash"),
    *("judge_repeat", "state", "value", "reason", "details"),
)
_NUMBERS = {"turn": "INTEGER", "repeat": "INTEGER", "judge_repeat": "INTEGER", "value": "REAL"}


def write(exports: Sequence[RunExport], kind: str, folder: ExportFolder) -> dict[str, int]:
    """`RUN/predictions.jsonl` and `RUN/scores.jsonl`, or the tables of all runs together."""
    if kind == "jsonl":
        predictions = scores = 0
        for one in exports:
            predictions += folder.json_lines(f"{one.folder}/predictions.jsonl", _lines(one))
            scores += folder.json_lines(f"{one.folder}/scores.jsonl", _score_lines(one))
        return {"predictions": predictions, "scores": scores}
    tables = {
        "predictions": (PREDICTIONS, _flat(PREDICTIONS, (one.predictions() for one in exports))),
        "scores": (SCORES, _flat(SCORES, (one.scores() for one in exports))),
    }
    if kind == "sqlite":
        types = {
            name: {column: _NUMBERS.get(column, "TEXT") for column in columns}
            for name, (columns, _) in tables.items()
        }
        folder.data(
            "runs.sqlite", table_file(types, {name: rows for name, (_, rows) in tables.items()})
        )
    else:
        encode = _csv if kind == "csv" else _parquet
        for name, (columns, rows) in tables.items():
            folder.data(f"{name}.{kind}", encode(columns, rows), len(rows))
    return {name: len(rows) for name, (_, rows) in tables.items()}


def _lines(one: RunExport) -> Iterator[dict[str, Any]]:
    """Lines that `import predictions` reads; an answer that is still to come has none."""
    for row in one.predictions():
        if row["state"] != PredictionState.PENDING:
            yield {
                "id": row["item"],
                "turn": row["turn"],
                "repeat": row["repeat"],
                "answer": row["answer"],
                "retrieved": row["retrieved"],
                "error": row["error_text"],
                "refused": row["state"] == PredictionState.REFUSED,
                **{name: row[name] for name in PREDICTIONS if name not in _IN_LINE},
            }


_IN_LINE = ("item", "turn", "repeat", "answer", "retrieved", "error_text")


def _score_lines(one: RunExport) -> Iterator[dict[str, Any]]:
    """Lines that `import scores` reads."""
    for row in one.scores():
        row["judge"] = one.judges[row["judge_hash"]]
        if row["details"] is None:
            del row["details"]
        yield {"id": row["item"], **{name: row[name] for name in SCORES[2:] if name in row}}


def _flat(
    columns: Sequence[str], tables: Iterable[Iterable[dict[str, Any]]]
) -> list[tuple[Any, ...]]:
    """The rows of all runs as tuples; lists become JSON."""
    return [tuple(_cell(row[column]) for column in columns) for table in tables for row in table]


def _cell(value: Any) -> Any:
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    return csv_of([columns, *rows]).encode()


def _parquet(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    pa = parquet.library()
    types = {"INTEGER": pa.int32(), "REAL": pa.float64()}
    schema = pa.schema(
        [(column, types.get(_NUMBERS.get(column, ""), pa.string())) for column in columns]
    )
    table = pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows], schema)
    out = io.BytesIO()
    pa.parquet.write_table(table, out, compression="zstd")
    return out.getvalue()


def recount(folder: Path) -> dict[str, int]:
    """Counts the lines of the JSON Lines layout; the other layouts are checked by their hashes."""
    counted: dict[str, int] = {}
    for name in ("predictions", "scores"):
        for file in folder.glob(f"*/{name}.jsonl"):
            with file.open("rb") as lines:
                counted[name] = counted.get(name, 0) + sum(1 for _ in lines)
    return counted
