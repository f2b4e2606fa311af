"""The passages without those that say nearly the same as an earlier one, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from engine.retrieve.context.changed import changed
from engine.retrieve.stage import ContextTransform, NamedStage
from engine.text.duplicates import THRESHOLD, grams, similarity
from store.records import Passage


class Options(Struct, frozen=True):
    similarity: Annotated[float, Meta(gt=0, le=1)] = THRESHOLD
    """The Jaccard similarity of character 5-grams from which two are near-duplicates."""


def _open(options: Options) -> ContextTransform:
    return changed(lambda passages, state: _distinct(passages, options.similarity))


def _distinct(passages: Sequence[Passage], threshold: float) -> list[Passage]:
    kept: list[Passage] = []
    seen: list[frozenset[str]] = []
    for passage in passages:
        own = grams(passage.text)
        if all(similarity(own, other) < threshold for other in seen):
            kept.append(passage)
            seen.append(own)
    return kept


STAGE = NamedStage(Options, _open)
