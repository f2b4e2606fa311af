"""A question of a conversation, rewritten so that it is understood without the earlier turns."""

from __future__ import annotations

from msgspec import Struct

from engine.prompts.history import history_text
from engine.retrieve.asking import ask_for
from engine.retrieve.index.base import question_of
from engine.retrieve.query.asked import about, read_lines
from engine.retrieve.stage import NamedStage, Queries, QueryTransform, Tools, TurnState, search_text

_PROMPT = "query/rewriting"


class Options(Struct, frozen=True):
    pass


def _open(options: Options) -> QueryTransform:
    return _rewritten


async def _rewritten(state: TurnState, tools: Tools) -> Queries:
    """The rewritten question in the place of the earlier questions and this one.

    What stands behind them stays, such as keywords. A turn without earlier ones that the system
    sees is not asked about.
    """
    if not state.history:
        return Queries(state.queries)
    values = {
        "history": history_text(state.history, state.lang),
        "question": state.turn.question,
    }
    rewritten = await ask_for(tools.prompt(_PROMPT, state.lang), values, tools.ask, _read)
    if not rewritten:
        return Queries(state.queries, unusable=1)
    leaning = search_text(state.turn, state.history)
    return Queries(
        tuple(
            about(query, question_of(query).replace(leaning, rewritten[0], 1))
            for query in state.queries
        )
    )


def _read(reply: str) -> tuple[str, ...]:
    lines = read_lines(reply)
    return lines if len(lines) == 1 else ()


STAGE = NamedStage(Options, _open, asks_model=True, prompts={_PROMPT: ("history", "question")})
