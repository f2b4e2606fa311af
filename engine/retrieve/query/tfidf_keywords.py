"""The question's own rarest words, searched for once more: a baseline that asks no model."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from engine.prompts.languages import by_lang
from engine.retrieve.index.base import question_of
from engine.retrieve.query.asked import about
from engine.retrieve.stage import NamedStage, Queries, QueryTransform, Tools, TurnState
from store.records import SearchText


class Options(Struct, frozen=True):
    most: Annotated[int, Meta(ge=1, le=20)] = 4


def _open(options: Options) -> QueryTransform:
    async def transform(state: TurnState, tools: Tools) -> Queries:
        made: list[SearchText] = []
        for query in state.queries:
            question = question_of(query)
            words = await tools.key_terms(question, options.most)
            joined = by_lang(state.lang, "，", ", ").join(words)
            made.append(about(query, f"{question}\n\n{joined}") if words else query)
        return Queries(tuple(made))

    return transform


STAGE = NamedStage(Options, _open, weighs_words=True)
