"""The sentences of each passage that share most words with the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from engine.retrieve.context.changed import changed
from engine.retrieve.stage import ContextTransform, NamedStage, TurnState
from engine.text.content_words import content_terms, word_share
from engine.text.sentences import sentences
from store.records import Passage


class Options(Struct, frozen=True):
    most: Annotated[int, Meta(ge=1, le=100)] = 3
    """Of a passage."""


def _open(options: Options) -> ContextTransform:
    def kept(passages: Sequence[Passage], state: TurnState) -> Sequence[Passage]:
        words = content_terms(state.turn.question)
        shortened = [part for one in passages for part in _best(one, words, options.most)]
        return shortened or passages

    return changed(kept)


def _best(passage: Passage, words: Sequence[str], most: int) -> Iterator[Passage]:
    """The best sentences in their order, those that follow one another as one passage, so that each
    stands in the document as it is; nothing where no sentence holds any of the words."""
    spans = sentences(passage.text)
    shares = [word_share(words, passage.text[start:end]) for start, end in spans]
    ranked = sorted(range(len(spans)), key=lambda at: -shares[at])[:most]
    chosen = sorted(at for at in ranked if shares[at] > 0)
    for place, at in enumerate(chosen):
        if place and chosen[place - 1] == at - 1:
            continue
        last = at
        while last + 1 in chosen:
            last += 1
        start, end = spans[at][0], spans[last][1]
        text = passage.text[start:end]
        yield Passage(passage.document_id, passage.title, text, passage.start + start)


STAGE = NamedStage(Options, _open)
