"""A context stage that asks nothing: passages from the passages before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.retrieve.stage import ContextTransform, Tools, TurnState
from store.records import Passage

Change = Callable[[Sequence[Passage], TurnState], Sequence[Passage]]


def changed(change: Change) -> ContextTransform:
    """The transform that puts what `change` gives in the place of the passages so far."""

    async def transform(state: TurnState, tools: Tools) -> Sequence[Passage]:
        assert state.passages is not None, "a context stage is given passages"
        return change(state.passages, state)

    return transform
