"""Asking a model for texts to search by: once more where a reply cannot be used, then no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from engine.models.asking import ask_twice
from engine.models.chat import Ask, ChatReply, ChatRequest
from engine.prompts.templates import PromptText
from engine.text.refusals import is_refusal
from store.records import Lang

Read = Callable[[str], tuple[str, ...]]
"""The texts of a reply; none where it cannot be used."""

_AGAIN: dict[Lang, str] = {
    "zh": "这个回复无法使用。请严格按照要求的格式重新回答，不要输出任何其他内容。",
    "en": "That reply cannot be used. Reply again in exactly the form that was asked for, and with"
    " nothing else.",
}


class _Texts(Struct, frozen=True):
    texts: tuple[str, ...]

    @property
    def problem(self) -> str:
        return "" if self.texts else "nothing of the form asked for"


async def ask_for(
    prompt: PromptText,
    values: Mapping[str, str],
    ask: Ask,
    read: Read,
    *,
    may_be_cut: bool = False,
) -> tuple[str, ...]:
    """What `read` finds in the reply to a filled template; nothing where two replies could not be
    used. A reply that was cut short can be only where it may.

    Raises ModelError where no reply came.
    """

    def texts(reply: ChatReply) -> _Texts:
        is_usable = may_be_cut or not reply.truncated
        return _Texts(read(reply.text) if is_usable else ())

    again = _AGAIN[prompt.lang]
    asked = await ask_twice(ask, ChatRequest(prompt.fill(values)), texts, lambda _: again)
    if asked.failure is not None:
        raise asked.failure
    assert asked.read is not None, "either a reply came or none did"
    return asked.read.texts


def read_prose(reply: str) -> tuple[str, ...]:
    """The whole reply; none where it is a refusal, code or JSON."""
    text = reply.strip()
    return () if is_refusal(text) or text[:1] in ("", "`", "{", "[") else (text,)
