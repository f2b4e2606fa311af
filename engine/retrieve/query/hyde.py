"""HyDE (Gao et al. 2023): a text that a model makes up as an answer is searched for as well."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from engine.retrieve.query.asked import ask_for, each
from engine.retrieve.stage import NamedStage, QueryTransform, Tools, TurnState
from engine.text.refusals import is_refusal
from store.records import MixedQuery

_PROMPT = "query/hyde"


class Options(Struct, frozen=True):
    alpha: Annotated[float, Meta(ge=0, le=1)] = 0.5
    """The share of the question's own vector in the mix (EKRAG, Yu et al.)."""


def _open(options: Options) -> QueryTransform:
    async def with_text(query: str, state: TurnState, tools: Tools) -> tuple[MixedQuery, ...]:
        # what there is of a text that was cut short is a text all the same
        texts = await ask_for(_PROMPT, {"question": query}, state, tools, _read, may_be_cut=True)
        return tuple(MixedQuery(query, text, options.alpha) for text in texts)

    return each(with_text)


def _read(reply: str) -> tuple[str, ...]:
    """The whole reply; none where it is a refusal, code or JSON."""
    text = reply.strip()
    return () if is_refusal(text) or text[0] in "`{[" else (text,)


STAGE = NamedStage(Options, _open, asks_model=True, prompts={_PROMPT: ("question",)})
