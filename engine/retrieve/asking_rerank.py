"""Reranking by a language model: what a kind of it is given and gives, and the order made of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from engine.retrieve.stage import Tools, TurnState
from engine.text.tokens import token_starts
from store.records import Hit, Passage
from store.systems import RerankerConfig


class Judged(Struct, frozen=True):
    """What a model said of passages."""

    scores: tuple[float | None, ...]
    """One for each passage, higher is better; null where no usable reply came."""
    unusable: int = 0
    """How many requests had no usable reply, twice."""


AskingReranker = Callable[
    [RerankerConfig, str, Sequence[Passage], TurnState, Tools], Awaitable[Judged]
]
"""Has a model judge passages for a question. Raises ModelError where no reply came."""


class AskingKind(Struct, frozen=True):
    """A kind of reranker that asks a model."""

    judge: AskingReranker
    prompts: Mapping[str, tuple[str, ...]]
    """The templates that it asks with, by id, each with its slots."""


async def rerank_by_model(
    kind: AskingKind,
    config: RerankerConfig,
    question: str,
    hits: Sequence[Hit],
    state: TurnState,
    tools: Tools,
) -> tuple[tuple[Hit, ...], int]:
    """`hits` with the model's scores, best first, and the number of its unusable replies.

    Equal scores keep the order before, which says more than a document's id. Passages without a
    score come last, with score 0. A passage is read up to the reranker's `max_length` tokens.
    """
    passages = [_beginning(passage, config.max_length) for passage in tools.read(hits)]
    judged = await kind.judge(config, question, passages, state, tools)
    order = sorted(
        range(len(hits)),
        key=lambda at: (judged.scores[at] is None, -(judged.scores[at] or 0.0)),
    )
    ranked = tuple(replace(hits[at], score=judged.scores[at] or 0.0) for at in order)
    return ranked, judged.unusable


def _beginning(passage: Passage, tokens: int | None) -> Passage:
    starts = [] if tokens is None else token_starts(passage.text)[tokens : tokens + 1]
    return replace(passage, text=passage.text[: starts[0]]) if starts else passage
