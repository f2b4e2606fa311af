"""The outcome of reading a model's reply as JSON: a value, or the reason why there is none."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

from engine.text.refusals import is_refusal

_DECLINES = re.compile(
    r"抱歉|对不起|我(?:无法|不能|没有办法)|作为(?:一个|一名)?(?:AI|人工智能|语言模型)|不(?:予|便)(?:提供|回答)"
    r"|\bsorry\b|\bI (?:can(?:no|')t|am unable|am not able|won't|must decline)|\bas an AI\b",
    re.IGNORECASE,
)
_LONGEST_REFUSAL = 600


class ReplyState(StrEnum):
    PARSED = "parsed"
    EMPTY = "empty"
    """The model found nothing to write, and said so in the agreed form: `[]`."""
    REFUSED = "refused"
    UNPARSED = "unparsed"


def unread_state(raw: str) -> ReplyState:
    """The state of a reply without JSON: refused if the words decline, else unparsed.

    An empty reply is unparsed.
    """
    text = raw.strip()
    if text and len(text) <= _LONGEST_REFUSAL and (is_refusal(text) or _DECLINES.search(text)):
        return ReplyState.REFUSED
    return ReplyState.UNPARSED


def whole_number(value: Any) -> int | None:
    """The whole number in a reply's value, also when written as digits; else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return int(value.strip())
    return value if isinstance(value, int) else None
