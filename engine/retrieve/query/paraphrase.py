"""The question in other words, searched for beside it or in one text with it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.retrieve.asking import ask_for
from engine.retrieve.query.asked import each, read_lines
from engine.retrieve.stage import NamedStage, QueryTransform, Tools, TurnState

_PROMPT = "query/paraphrase"


class Options(Struct, frozen=True):
    count: Annotated[int, Meta(ge=1, le=4)] = 1
    add: Literal["queries", "text"] = "queries"
    """Whether each paraphrase is searched for by itself, the hits fused by reciprocal rank, or all
    stand behind the question in one text, as in FinanceRAG (Lee and Roh 2024)."""


def _open(options: Options) -> QueryTransform:
    async def with_paraphrases(query: str, state: TurnState, tools: Tools) -> tuple[str, ...]:
        def read(reply: str) -> tuple[str, ...]:
            others = [
                line for line in read_lines(reply) if line.casefold() != query.strip().casefold()
            ]
            return tuple(others[: options.count]) if len(others) >= options.count else ()

        values = {"question": query, "count": str(options.count)}
        others = await ask_for(tools.prompt(_PROMPT, state.lang), values, tools.ask, read)
        if not others:
            return ()
        return (query, *others) if options.add == "queries" else ("\n\n".join((query, *others)),)

    return each(with_paraphrases)


STAGE = NamedStage(Options, _open, asks_model=True, prompts={_PROMPT: ("question", "count")})
