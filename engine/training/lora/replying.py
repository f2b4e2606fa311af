"""A fine-tuned judge at work: its replies to a side of the data, and their fit with people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.calibration.calibration_records import Given, MetricCalibration, Truth
from engine.calibration.measures import calibrate
from engine.judge.model.replies import read_judgement
from engine.metrics.spec import resolve
from engine.training.lora.base_model import token_ids
from engine.training.lora.rows import JudgeData, Row
from engine.training.lora.settings import LoraSettings
from engine.training.lora.trainer import Say

_REPLY_TOKENS = 64


class Reply(Struct, frozen=True):
    id: str
    """Of the record."""
    reply: str


def read_replies(file: Path) -> dict[str, str]:
    """Replies by record. A last line that was cut off by a crash is left out, and asked again."""
    replies: dict[str, str] = {}
    if not file.exists():
        return replies
    for line in file.read_bytes().splitlines():
        try:
            reply = msgspec.json.decode(line, type=Reply)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        replies[reply.id] = reply.reply
    return replies


def write_replies(file: Path, replies: Mapping[str, str]) -> None:
    """Appends replies; each line begins after a whole one."""
    torn = file.exists() and not file.read_bytes().endswith(b"\n") and file.stat().st_size > 0
    with file.open("ab") as out:
        out.write(b"\n" if torn else b"")
        out.writelines(msgspec.json.encode(Reply(*pair)) + b"\n" for pair in replies.items())


def evaluate(rows: Sequence[Row], replies: Mapping[str, str]) -> tuple[MetricCalibration, ...]:
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
        score = read_judgement(resolve(row.record.metric), replies[row.record.id]).score
        key = (numbers[row.record.response_id], row.record.metric)
        given[key] = Given(score.state, score.value)
    return calibrate(truths, given, by_cell=False)


def reply_to_side(
    model: Any,
    tokenizer: Any,
    data: JudgeData,
    side: str,
    settings: LoraSettings,
    folder: Path,
    say: Say,
) -> tuple[MetricCalibration, ...]:
    """Has the model reply to a side, and compares the replies with people. Replies that were
    written down before are not asked for again."""
    rows = data.sides[side]
    file = folder / f"replies-{side}.jsonl"
    known = read_replies(file)
    left = [row for row in rows if row.record.id not in known]
    for at in range(0, len(left), settings.batch_size):
        batch = left[at : at + settings.batch_size]
        replies = greedy_replies(model, tokenizer, batch)
        write_replies(
            file, {row.record.id: reply for row, reply in zip(batch, replies, strict=True)}
        )
        if at % (10 * settings.batch_size) == 0:
            say(f"{side}: {len(rows) - len(left) + at + len(batch)} of {len(rows)}")
    return evaluate(rows, read_replies(file))


def greedy_replies(model: Any, tokenizer: Any, rows: Sequence[Row]) -> list[str]:
    """A greedy reply to each prompt."""
    import torch

    prompts = [token_ids(tokenizer, row.prompt, reply_follows=True) for row in rows]
    width = max(map(len, prompts))
    pad = tokenizer.pad_token_id
    # on the left, so that every reply begins at the same place
    ids = torch.tensor(
        [[pad] * (width - len(prompt)) + prompt for prompt in prompts], device=model.device
    )
    mask = torch.tensor(
        [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts], device=model.device
    )
    model.eval()
    with torch.no_grad():
        out = model.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=_REPLY_TOKENS,
            do_sample=False,
            pad_token_id=pad,
        )
    return [str(tokenizer.decode(reply[width:], skip_special_tokens=True)).strip() for reply in out]
