"""As many of the first passages as hold a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.retrieve.context.changed import changed
from engine.retrieve.stage import ContextTransform, NamedStage
from engine.text.tokens import count_tokens, token_starts
from store.records import Passage


class Options(Struct, frozen=True):
    tokens: Annotated[int, Meta(ge=1, le=10_000_000)]
    """Of all texts together, as `engine.text.tokens` counts them."""


def _open(options: Options) -> ContextTransform:
    return changed(lambda passages, state: _within(passages, options.tokens))


def _within(passages: Sequence[Passage], tokens: int) -> list[Passage]:
    """Whole passages up to the first that does not fit; of the very first its beginning."""
    kept: list[Passage] = []
    for passage in passages:
        tokens -= count_tokens(passage.text)
        if tokens < 0:
            if not kept:
                end = token_starts(passage.text)[tokens]
                kept.append(replace(passage, text=passage.text[:end].rstrip()))
            break
        kept.append(passage)
    return kept


STAGE = NamedStage(Options, _open)
