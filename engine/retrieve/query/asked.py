"""Search texts that a model gives: the form of its replies, and each question with its own."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from engine.retrieve.index.base import question_of
from engine.retrieve.stage import Queries, QueryTransform, Tools, TurnState
from engine.text.refusals import is_refusal
from store.records import SearchText

LONGEST = 1000
"""Characters of a question that a model may give."""

_MARK = re.compile(r"^\s*(?:[-*•·]\s+|[(（]?\d{1,2}(?:[.)]\s+|[、）]))\s*")
_QUOTES = "\"'“”‘’「」"


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
