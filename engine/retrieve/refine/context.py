"""Where a chunk stands, put before it: the headings over it, or how its document begins."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.retrieve.refine.change import Change, ChunkText
from engine.retrieve.stage import NamedStage
from engine.text.sentences import sentences

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+)$", re.MULTILINE)


class Options(Struct, frozen=True):
    by: Literal["headings", "beginning"] = "headings"
    most: Annotated[int, Meta(ge=1, le=20)] = 2
    """Headings, the lowest ones, or sentences of the document's beginning."""


def _open(options: Options) -> Change:
    before = {"headings": _headings, "beginning": _beginning}[options.by]

    def with_context(chunk: ChunkText) -> str:
        lines = before(chunk, options.most)
        return "\n".join([*lines, chunk.text])

    return with_context


def _headings(chunk: ChunkText, most: int) -> list[str]:
    """The Markdown headings under which the chunk begins, the highest first."""
    over: dict[int, str] = {}
    for heading in _HEADING.finditer(chunk.document, 0, chunk.start):
        level = len(heading[1])
        over = {at: text for at, text in over.items() if at < level} | {level: heading[2].strip()}
    return list(over.values())[-most:]


def _beginning(chunk: ChunkText, most: int) -> list[str]:
    """The first sentences of the document that end before the chunk begins."""
    spans = sentences(chunk.document[: chunk.start])[:most]
    return [chunk.document[start:end] for start, end in spans]


STAGE = NamedStage(Options, _open)
