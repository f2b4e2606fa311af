"""Keywords of the question, searched for behind it (Lee and Roh 2024: after a blank line)."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta, Struct

from engine.prompts.languages import by_lang
from engine.retrieve.asking import ask_for
from engine.retrieve.query.asked import each, read_lines
from engine.retrieve.stage import NamedStage, QueryTransform, Tools, TurnState

_PROMPT = "query/keywords"
_SEPARATOR = re.compile(r"[,，、;；\n]")
_LONGEST = 60
"""Characters of a keyword; what is longer is a sentence."""


class Options(Struct, frozen=True):
    most: Annotated[int, Meta(ge=1, le=20)] = 4


def _open(options: Options) -> QueryTransform:
    def read(reply: str) -> tuple[str, ...]:
        return read_keywords(reply)[: options.most]

    async def with_keywords(query: str, state: TurnState, tools: Tools) -> tuple[str, ...]:
        values = {"question": query, "most": str(options.most)}
        words = await ask_for(tools.prompt(_PROMPT, state.lang), values, tools.ask, read)
        joined = by_lang(state.lang, "，", ", ").join(words)
        return (f"{query}\n\n{joined}",) if words else ()

    return each(with_keywords)


def read_keywords(reply: str) -> tuple[str, ...]:
    """The keywords of a reply, separated by commas or lines, each once; none where one of them is
    longer than 60 characters."""
    words = [word.strip() for word in _SEPARATOR.split("\n".join(read_lines(reply)))]
    if any(len(word) > _LONGEST for word in words):
        return ()
    return tuple(dict.fromkeys(word for word in words if word))


STAGE = NamedStage(Options, _open, asks_model=True, prompts={_PROMPT: ("question", "most")})
