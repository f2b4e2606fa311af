"""HyDE (Gao et al. 2023): a text that a model makes up as an answer is searched for as well."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from engine.retrieve.asking import ask_for, read_prose
from engine.retrieve.query.asked import each
from engine.retrieve.stage import NamedStage, QueryTransform, Tools, TurnState
from store.records import MixedQuery

_PROMPT = "query/hyde"


class Options(Struct, frozen=True):
    alpha: Annotated[float, Meta(ge=0, le=1)] = 0.5
    """The share of the question's own vector in the mix (EKRAG, Yu et al.)."""


def _open(options: Options) -> QueryTransform:
    async def with_text(query: str, state: TurnState, tools: Tools) -> tuple[MixedQuery, ...]:
        # what there is of a text that was cut short is a text all the same
        texts = await ask_for(
            tools.prompt(_PROMPT, state.lang),
            {"question": query},
            tools.ask,
            read_prose,
            may_be_cut=True,
        )
        return tuple(MixedQuery(query, text, options.alpha) for text in texts)

    return each(with_text)


STAGE = NamedStage(Options, _open, asks_model=True, prompts={_PROMPT: ("question",)})
