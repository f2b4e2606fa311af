"""The passages that score at least so much, as the retriever or its last reranker scores."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.retrieve.context.changed import changed
from engine.retrieve.stage import ContextTransform, NamedStage, TurnState
from store.records import Passage


class Options(Struct, frozen=True):
    score: float


def _open(options: Options) -> ContextTransform:
    def kept(passages: Sequence[Passage], state: TurnState) -> Sequence[Passage]:
        return [passage for passage in passages if _score(passage, state) >= options.score]

    return changed(kept)


def _score(passage: Passage, state: TurnState) -> float:
    """The best score of a chunk that the passage was taken from."""
    return max(
        hit.score
        for hit in state.hits or ()
        if hit.document_id == passage.document_id and hit.start <= passage.start < hit.end
    )


STAGE = NamedStage(Options, _open)
