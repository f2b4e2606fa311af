"""AQE (average query expansion; EKRAG, Yu et al.): the vector moves to the chunks nearest to it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.retrieve.stage import NamedStage, Queries, QueryTransform, Tools, TurnState
from store.records import MixedQuery, SearchText


class Options(Struct, frozen=True):
    n: Annotated[int, Meta(ge=0, le=4)] = 1
    """Chunks whose vectors are averaged with the question's."""


def _open(options: Options) -> QueryTransform:
    async def transform(state: TurnState, tools: Tools) -> Queries:
        if not options.n:
            return Queries(state.queries)
        made: list[SearchText] = []
        for query in state.queries:
            nearest = await tools.nearest(query, options.n, state.content.hidden)
            mixed = MixedQuery(query) if isinstance(query, str) else query
            made.append(replace(mixed, nearest=nearest) if nearest else query)
        return Queries(tuple(made))

    return transform


STAGE = NamedStage(Options, _open, needs_vectors=True)
