"""Sentences of a model on where a chunk stands in its document and what it is about, put before it
(contextual retrieval; Anthropic 2024)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from engine.retrieve.refine.change import AskedChange, Change, ChunkText
from engine.retrieve.refine.shown import surroundings
from engine.retrieve.stage import NamedStage

_PROMPT = "corpus/context"


class Options(Struct, frozen=True):
    most: Annotated[int, Meta(ge=1, le=20)] = 2
    """Sentences."""
    reads: Annotated[int, Meta(ge=100, le=1_000_000)] = 8000
    """Tokens: of a longer document the model is shown the beginning and what is around the chunk,
    half each."""


def _open(options: Options) -> Change:
    def values(chunk: ChunkText) -> dict[str, str]:
        return {
            "title": chunk.title,
            "document": surroundings(chunk.document, chunk.start, options.reads),
            "chunk": chunk.text,
            "most": str(options.most),
        }

    return AskedChange(_PROMPT, values, lambda chunk, context: f"{context}\n{chunk.text}")


STAGE = NamedStage(
    Options,
    _open,
    asks_model=True,
    prompts={_PROMPT: ("title", "document", "chunk", "most")},
)
