"""A summary that a model writes of a chunk, or of its document."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.retrieve.refine.change import AskedChange, Change, ChunkText
from engine.retrieve.refine.shown import beginning
from engine.retrieve.stage import NamedStage

_PROMPT = "corpus/summary"


class Options(Struct, frozen=True):
    of: Literal["chunk", "document"] = "chunk"
    """A document's is put before each of its chunks, which would else be the same text."""
    most: Annotated[int, Meta(ge=1, le=20)] = 3
    """Sentences."""
    reads: Annotated[int, Meta(ge=100, le=1_000_000)] = 8000
    """Tokens: of a longer text the model is shown the beginning."""


def _open(options: Options) -> Change:
    def values(chunk: ChunkText) -> dict[str, str]:
        text = chunk.text if options.of == "chunk" else chunk.document
        shown = beginning(text, options.reads)
        return {"title": chunk.title, "text": shown, "most": str(options.most)}

    def changed(chunk: ChunkText, summary: str) -> str:
        return summary if options.of == "chunk" else f"{summary}\n{chunk.text}"

    return AskedChange(_PROMPT, values, changed)


STAGE = NamedStage(Options, _open, asks_model=True, prompts={_PROMPT: ("title", "text", "most")})
