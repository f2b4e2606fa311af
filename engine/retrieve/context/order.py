"""The passages in another order: models read the beginning and the end of a context best (Liu et
al. 2024)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from engine.retrieve.context.changed import changed
from engine.retrieve.stage import ContextTransform, NamedStage
from store.records import Passage


class Options(Struct, frozen=True):
    by: Literal["best_last", "ends", "document"]
    """The best last; the best first, the second best last, and so inwards; or each document's
    passages together as they follow one another, the document of the best passage first."""


def _open(options: Options) -> ContextTransform:
    order = {"best_last": _best_last, "ends": _ends, "document": _by_document}[options.by]
    return changed(lambda passages, state: order(passages))


def _best_last(passages: Sequence[Passage]) -> Sequence[Passage]:
    return passages[::-1]


def _ends(passages: Sequence[Passage]) -> Sequence[Passage]:
    return (*passages[::2], *passages[1::2][::-1])


def _by_document(passages: Sequence[Passage]) -> Sequence[Passage]:
    ranks: dict[str, int] = {}
    for rank, passage in enumerate(passages):
        ranks.setdefault(passage.document_id, rank)
    return sorted(passages, key=lambda passage: (ranks[passage.document_id], passage.start))


STAGE = NamedStage(Options, _open)
