"""The shapes that trainers read, each from a record's messages and reply.

- `trl`: TRL's conversational prompt-completion; its loss is on the completion alone by default.
- `openai`: chat messages, one list.
- `alpaca` and `sharegpt`: LLaMA-Factory's, registered in `dataset_info.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from engine.judge.model.asking import JudgePrompts, judge_messages, reply_text
from engine.models.chat import Message
from engine.training.data.judge_records import JudgeRecord
from store.errors import InputError

Shape = Literal["trl", "openai", "alpaca", "sharegpt"]
ReplyStyle = Literal["value", "omnieval"]
"""`value` is what our judges are asked for; `omnieval` is `{"prediction": n}`, -1 for n/a."""

Row = dict[str, Any]


_REPLY_FORM = re.compile(r'\{"reason": ("[^"\n]*"), "(?:value|prediction)": ([^}\n]*)\}')
"""The reply that a shipped template asks for, with the description of the reason and the values."""
_DOES_NOT_APPLY = re.compile(r"^- null(?=[:：])", re.MULTILINE)


def template_for(text: str, style: ReplyStyle, *, reason: bool) -> str:
    """The template as it asks for replies of that style, with or without a reason.

    Raises InputError for one that asks for a reason in words that cannot be left out.
    """

    def form(found: re.Match[str]) -> str:
        given = f'"reason": {found[1]}, ' if reason else ""
        key, values = "value", found[2]
        if style == "omnieval":
            key, values = "prediction", values.replace("null", "-1")
        return f'{{{given}"{key}": {values}}}'

    asked, forms = _REPLY_FORM.subn(form, text)
    if style == "omnieval" and forms:
        asked = _DOES_NOT_APPLY.sub("- -1", asked)
    if not reason and asks_for_reason(asked):
        raise InputError(
            "It asks for a reason, and there are replies without one.",
            'Write the reply as {"reason": "...", "value": ...}, which is understood, or leave the'
            " reason out.",
        )
    return asked


def asks_for_reason(text: str) -> bool:
    return '"reason"' in text


def asked_and_replied(
    prompts: JudgePrompts, record: JudgeRecord, style: ReplyStyle, *, rationale: bool
) -> tuple[Message, Message, str]:
    """System and user message that ask for the record's metric, and the reply that a judge should
    learn: with a reason where `rationale` is wanted, the template asks for one and a rater gave
    one; else neither asks nor gives."""
    template = prompts.find(record.metric, record.lang)
    reason = record.rationale if rationale and asks_for_reason(template.text) else ""
    if not reason:
        bare = template_for(template.text, style, reason=False)
        place = f"{template.lang}/{template.id}"
        prompts = msgspec.structs.replace(prompts, texts={place: bare})
    system, user = judge_messages(prompts, record.as_case(), record.metric)
    return system, user, reply_of(record, style, reason)


def reply_of(record: JudgeRecord, style: ReplyStyle, reason: str) -> str:
    """The reply with the record's label."""
    if style == "omnieval":
        value = -1 if record.label is None else record.label
        given: Row = {"reason": reason} if reason else {}
        return msgspec.json.encode({**given, "prediction": value}).decode()
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
