"""A fine-tuned judge at work: its replies to a side of the data, written down as they come."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.calibration.records import MetricCalibration
from engine.training.lora.base_model import token_ids
from engine.training.lora.replies import evaluate, read_replies, write_replies
from engine.training.lora.rows import JudgeData, Row
from engine.training.lora.settings import LoraSettings
from engine.training.lora.trainer import Say

_REPLY_TOKENS = 64


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
    return evaluate(rows, read_replies(file), data.reply)


def greedy_replies(model: Any, tokenizer: Any, rows: Sequence[Row]) -> list[str]:
    """A greedy reply to each prompt."""
    import torch

    prompts = [token_ids(tokenizer, row.prompt, reply_follows=True) for row in rows]
    width = max(map(len, prompts))
    pad = tokenizer.pad_token_id
    # on the left, so that every reply begins at the same place
    ids = torch.tensor([[pad] * (width - len(one)) + one for one in prompts], device=model.device)
    mask = torch.tensor(
        [[0] * (width - len(one)) + [1] * len(one) for one in prompts], device=model.device
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
