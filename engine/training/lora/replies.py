"""What a fine-tuned judge replied, kept as it comes, and how it compares with people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from engine.calibration.measures import calibrate
from engine.calibration.records import Given, MetricCalibration, Truth
from engine.judge.model.replies import read_judgement
from engine.training.data.shapes import ReplyStyle
from engine.training.lora.rows import Row


class Reply(Struct, frozen=True):
    id: str
    """Of the record."""
    reply: str


def read_replies(file: Path) -> dict[str, str]:
    """Replies by record. A last line that was cut off by a crash is left out, and asked again."""
    found: dict[str, str] = {}
    if not file.exists():
        return found
    for line in file.read_bytes().splitlines():
        try:
            one = msgspec.json.decode(line, type=Reply)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        found[one.id] = one.reply
    return found


def write_replies(file: Path, replies: Mapping[str, str]) -> None:
    """Appends replies; each line begins after a whole one."""
    torn = file.exists() and not file.read_bytes().endswith(b"\n") and file.stat().st_size > 0
    with file.open("ab") as out:
        out.write(b"\n" if torn else b"")
        out.writelines(msgspec.json.encode(Reply(*pair)) + b"\n" for pair in replies.items())


def evaluate(
    rows: Sequence[Row], replies: Mapping[str, str], style: ReplyStyle
) -> tuple[MetricCalibration, ...]:
    """The replies against the labels: all metrics pooled first, then each.

    A reply is read as a model judge's is: what cannot be read is counted and left out, never taken
    for `na`.
    """
    numbers = {
        id: at for at, id in enumerate(dict.fromkeys(row.record.response_id for row in rows))
    }
    truths = [
        Truth(
            prediction_id=numbers[row.record.response_id],
            run_id=0,
            metric=row.record.metric,
            value="na" if row.record.label is None else row.record.label,
            source=row.record.source,
            group_key=row.record.group_id,
            topic=row.record.topic,
            task=row.record.task,
        )
        for row in rows
    ]
    given = {}
    for row in rows:
        score = read_judgement(row.record.metric, replies[row.record.id]).score
        key = (numbers[row.record.response_id], row.record.metric)
        given[key] = Given(score.state, score.value)
    return calibrate(truths, given, by_cell=False)
