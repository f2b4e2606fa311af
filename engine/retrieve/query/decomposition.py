"""The questions that a question of several parts is made of, searched for beside it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from engine.retrieve.asking import ask_for
from engine.retrieve.query.asked import each, read_lines
from engine.retrieve.stage import NamedStage, QueryTransform, Tools, TurnState

_PROMPT = "query/decomposition"


class Options(Struct, frozen=True):
    most: Annotated[int, Meta(ge=2, le=8)] = 4


def _open(options: Options) -> QueryTransform:
    def read(reply: str) -> tuple[str, ...]:
        lines = read_lines(reply)
        return lines if len(lines) <= options.most else ()

    async def with_parts(query: str, state: TurnState, tools: Tools) -> tuple[str, ...]:
        values = {"question": query, "most": str(options.most)}
        parts = await ask_for(tools.prompt(_PROMPT, state.lang), values, tools.ask, read)
        if len(parts) == 1:  # a question of one part, which the model gives back
            return (query,)
        return (query, *parts) if parts else ()

    return each(with_parts)


STAGE = NamedStage(Options, _open, asks_model=True, prompts={_PROMPT: ("question", "most")})
