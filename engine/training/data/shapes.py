"""The shapes that trainers read, each from a record's messages and reply.

- `trl`: TRL's conversational prompt-completion; its loss is on the completion alone by default.
- `openai`: chat messages, one list.
- `alpaca` and `sharegpt`: LLaMA-Factory's, registered in `dataset_info.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from engine.judge.model.asking import JudgePrompts, judge_messages, reply_text
from engine.models.chat import Message
from engine.training.data.judge_records import JudgeRecord

Shape = Literal["trl", "openai", "alpaca", "sharegpt"]
ReplyStyle = Literal["value", "omnieval"]
"""`value` is what our judges are asked for; `omnieval` is `{"prediction": n}`, -1 for n/a."""

Row = dict[str, Any]


def messages_of(prompts: JudgePrompts, record: JudgeRecord) -> tuple[Message, Message]:
    """System and user message that ask for the record's metric."""
    system, user = judge_messages(prompts, record.as_case(), record.metric)
    return system, user


def reply_of(record: JudgeRecord, style: ReplyStyle, *, rationale: bool) -> str:
    """The reply that a judge should learn."""
    if style == "omnieval":
        value = -1 if record.label is None else record.label
        given: Row = {"reason": record.rationale} if rationale and record.rationale else {}
        return msgspec.json.encode({**given, "prediction": value}).decode()
    reason = record.rationale if rationale else ""
    return reply_text("na" if record.label is None else record.label, reason)


def _trl(system: Message, user: Message, reply: str) -> Row:
    return {
        "prompt": [_turn(system), _turn(user)],
        "completion": [{"role": "assistant", "content": reply}],
    }


def _openai(system: Message, user: Message, reply: str) -> Row:
    return {"messages": [_turn(system), _turn(user), {"role": "assistant", "content": reply}]}


def _alpaca(system: Message, user: Message, reply: str) -> Row:
    return {"instruction": user.content, "input": "", "output": reply, "system": system.content}


def _sharegpt(system: Message, user: Message, reply: str) -> Row:
    turns = [{"from": "human", "value": user.content}, {"from": "gpt", "value": reply}]
    return {"conversations": turns, "system": system.content}


def _turn(message: Message) -> Row:
    return {"role": message.role, "content": message.content}


SHAPES: dict[Shape, Callable[[Message, Message, str], Row]] = {
    "trl": _trl,
    "openai": _openai,
    "alpaca": _alpaca,
    "sharegpt": _sharegpt,
}

AS_ARRAY: tuple[Shape, ...] = ("alpaca", "sharegpt")
"""Shapes whose files are one JSON array, as LLaMA-Factory's own are; the others are JSON Lines."""


def dataset_info(files: Sequence[tuple[Shape, str, str]]) -> Row:
    """LLaMA-Factory's register of the given (shape, side, file) entries."""
    tables: Row = {}
    for shape, side, file in files:
        entry: Row = {"file_name": file}
        if shape == "alpaca":
            entry["columns"] = {
                "prompt": "instruction",
                "query": "input",
                "response": "output",
                "system": "system",
            }
        elif shape == "sharegpt":
            entry["formatting"] = "sharegpt"
            entry["columns"] = {"messages": "conversations", "system": "system"}
            entry["tags"] = {
                "role_tag": "from",
                "content_tag": "value",
                "user_tag": "human",
                "assistant_tag": "gpt",
            }
        tables[f"judge_{shape}_{side}"] = entry
    return tables
