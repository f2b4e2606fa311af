"""Asking a model for search texts: once more where a reply cannot be used, then no more."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from engine.models.asking import ask_twice
from engine.models.chat import ChatReply, ChatRequest
from engine.retrieve.index.base import question_of
from engine.retrieve.stage import Queries, QueryTransform, Tools, TurnState
from engine.text.refusals import is_refusal
from store.records import Lang, SearchText

Read = Callable[[str], tuple[str, ...]]
"""The texts of a reply; none where it cannot be used."""

LONGEST = 1000
"""Characters of a question that a model may give."""

_AGAIN: dict[Lang, str] = {
    "zh": "这个回复无法使用。请严格按照要求的格式重新回答，不要输出任何其他内容。",
    "en": "That reply cannot be used. Reply again in exactly the form that was asked for, and with"
    " nothing else.",
}
_MARK = re.compile(r"^\s*(?:[-*•·]\s+|[(（]?\d{1,2}(?:[.)]\s+|[、）]))\s*")
_QUOTES = "\"'“”‘’「」"


class _Texts(Struct, frozen=True):
    texts: tuple[str, ...]

    @property
    def problem(self) -> str:
        return "" if self.texts else "nothing of the form asked for"


async def ask_for(
    prompt: str,
    values: Mapping[str, str],
    state: TurnState,
    tools: Tools,
    read: Read,
    *,
    may_be_cut: bool = False,
) -> tuple[str, ...]:
    """What `read` finds in the reply to the template `prompt` in the item's language; nothing
    where two replies could not be used. A reply that was cut short can be only where it may.

    Raises ModelError where no reply came.
    """

    def texts(reply: ChatReply) -> _Texts:
        is_usable = may_be_cut or not reply.truncated
        return _Texts(read(reply.text) if is_usable else ())

    request = ChatRequest(tools.prompt(prompt, state.lang).fill(values))
    asked = await ask_twice(tools.ask, request, texts, lambda _: _AGAIN[state.lang])
    if asked.failure is not None:
        raise asked.failure
    assert asked.read is not None, "either a reply came or none did"
    return asked.read.texts


def each(
    change: Callable[[str, TurnState, Tools], Awaitable[Sequence[SearchText]]],
) -> QueryTransform:
    """The transform that puts what `change` gives in the place of each question searched for;
    nothing means that it stays as it is, for want of a usable reply."""

    async def transform(state: TurnState, tools: Tools) -> Queries:
        made: dict[SearchText, None] = {}
        unusable = 0
        for query in state.queries:
            texts = await change(question_of(query), state, tools)
            unusable += not texts
            made |= dict.fromkeys(about(query, text) for text in texts or (query,))
        return Queries(tuple(made), unusable)

    return transform


def about(query: SearchText, text: SearchText) -> SearchText:
    """The query with another question; what else is mixed into its vector stays."""
    if isinstance(query, str) or not isinstance(text, str):
        return text
    return replace(query, question=text)


def read_lines(reply: str) -> tuple[str, ...]:
    """The lines of a reply without numbers, bullets and quotation marks, each once; none where a
    line is no text by itself: a heading, code, JSON, more than 1,000 characters, or a refusal."""
    if is_refusal(reply):
        return ()
    lines = [_MARK.sub("", line).strip().strip(_QUOTES).strip() for line in reply.splitlines()]
    kept = [line for line in lines if line]
    if any(len(line) > LONGEST or line[0] in "`{[<#" or line[-1] in ":：" for line in kept):
        return ()
    return tuple(dict.fromkeys(kept))
