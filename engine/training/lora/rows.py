"""Rows to train and to test on, from an exported folder of judge data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.training import judge_export
from engine.training.data.judge_records import JudgeRecord
from engine.training.data.shapes import ReplyStyle
from store.errors import InputError
from store.formats import manifest
from store.formats.jsonl import read_jsonl

Message = dict[str, str]


class Row(Struct, frozen=True):
    """One label: what is asked, what should be replied, and what is known of it."""

    record: JudgeRecord
    prompt: tuple[Message, ...]
    completion: tuple[Message, ...]


class JudgeData(Struct, frozen=True):
    sides: dict[str, tuple[Row, ...]]
    """By side, those that hold labels."""
    reply: ReplyStyle
    source: dict[str, str]
    """What was exported, as the manifest says."""


def read_judge_data(folder: Path) -> JudgeData:
    """An export with the shape `trl`. Raises InputError when it is damaged or lacks that shape."""
    export = manifest.read(folder)
    if export.format != judge_export.FORMAT or "trl" not in export.source["shapes"].split(","):
        raise InputError(
            f"{folder} is not an export of judge data with the shape trl.",
            "Make one.",
            "ragdesk export judge --out DIR",
        )
    checked = manifest.verify(folder, judge_export.RECOUNTS)
    if checked.problems:
        raise InputError(f"{folder}: {checked.problems[0]}.", "Export the labels anew.")
    sides = {}
    for file in sorted((folder / "records").glob("*.jsonl")):
        records = [record for _, record in read_jsonl(file, JudgeRecord)]
        shaped = [row for _, row in read_jsonl(folder / "trl" / file.name, dict[str, Any])]
        sides[file.stem] = tuple(
            Row(record, tuple(row["prompt"]), tuple(row["completion"]))
            for record, row in zip(records, shaped, strict=True)
        )
    if not sides.get("train"):
        raise InputError(f"{folder} has nothing on the training side.", "Label more answers.")
    return JudgeData(sides, msgspec.convert(export.source["reply"], ReplyStyle), export.source)


def split_by_length(
    rows: Sequence[Row], lengths: Sequence[int], most: int
) -> tuple[list[Row], int]:
    """The rows of at most so many tokens, and how many are longer."""
    kept = [row for row, length in zip(rows, lengths, strict=True) if length <= most]
    return kept, len(rows) - len(kept)
