"""The sentences of a chunk that say most of what it says: an extractive summary, a baseline."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from msgspec import Meta, Struct

from engine.retrieve.refine.change import Change
from engine.retrieve.stage import NamedStage
from engine.text.content_words import content_terms
from engine.text.sentences import sentences


class Options(Struct, frozen=True):
    most: Annotated[int, Meta(ge=1, le=100)] = 3
    """Sentences."""


def _open(options: Options) -> Change:
    return lambda chunk: _summary(chunk.text, options.most)


def _summary(text: str, most: int) -> str:
    """The `most` sentences in their order whose content words are, in the mean, most frequent in
    the text (SumBasic's score without its updating; Nenkova and Vanderwende 2005)."""
    spans = sentences(text)
    words = [content_terms(text[start:end]) for start, end in spans]
    counts = Counter(word for own in words for word in own)
    scores = [sum(counts[word] for word in own) / max(len(own), 1) for own in words]
    best = sorted(range(len(spans)), key=lambda at: -scores[at])[:most]
    return "\n".join(text[start:end] for start, end in (spans[at] for at in sorted(best))) or text


STAGE = NamedStage(Options, _open)
