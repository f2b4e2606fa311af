"""Has a model change the texts that chunks are indexed by: which chunks are left, and each text."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from engine.models.cached import cache_key, call_refs
from engine.models.chat import ChatReply, ChatRequest
from engine.models.errors import Effect, ModelError
from engine.models.settings import Provider
from engine.prompts.templates import FrozenPrompts
from engine.retrieve.asking import ask_for, read_prose
from engine.retrieve.pipeline import chunk_rows, chunks_fingerprint
from engine.retrieve.refine.change import AskedChange, ChunkText
from engine.retrieve.refined import CORPUS_STAGES, ask_model, chunk_texts, open_changes
from store.corpora.corpora import Corpus
from store.hashing import content_hash
from store.records import Span
from store.runs import refinements
from store.runs.refinements import RefinedChunk
from store.systems import Retrieval, StageConfig

AskProvider = Callable[[ChatRequest, str], Awaitable[ChatReply]]
"""Asks the provider of a name, the system's own model by an empty one. Raises ModelError."""


def frozen_stages(
    stages: Sequence[StageConfig], asked: Mapping[str, Provider], prompts: Mapping[str, str]
) -> tuple[StageConfig, ...]:
    """The corpus stages of a system, those that ask with a hash of what their texts depend on: the
    provider of that name, and the texts of their templates by `LANG/ID`."""
    return tuple(
        replace(config, asked=_hash(config, asked[config.provider], prompts))
        if CORPUS_STAGES[config.name].asks_model
        else config
        for config in stages
    )


def _hash(config: StageConfig, provider: Provider, prompts: Mapping[str, str]) -> str:
    ids = CORPUS_STAGES[config.name].prompts
    texts = {name: text for name, text in prompts.items() if name.partition("/")[2] in ids}
    return content_hash({"model": cache_key(provider, ChatRequest(())), "prompts": texts})


def unrefined(
    db: sqlite3.Connection, corpus: Corpus, retrieval: Retrieval | None, expected: str | None = None
) -> tuple[str, int, Iterator[tuple[Span, ChunkText]]] | None:
    """The fingerprint of a corpus' chunks, and how many and which are those whose text a model has
    still to make; None where there is nothing to make, or every text is there. Raises what
    `chunks_fingerprint` and `chunk_rows` raise."""
    if retrieval is None or not ask_model(retrieval.corpus):
        return None
    fingerprint, chunking = chunks_fingerprint(db, corpus, retrieval.chunking, expected)
    refinement = refinements.find(db, corpus, fingerprint, retrieval.corpus)
    if refinement is None:
        known = set()
    elif refinement.is_finished:
        return None
    else:
        known = refinements.refined(db, refinement.id)
    rows = chunk_rows(db, corpus, chunking)
    left = [row for row in rows if Span(row.document_id, row.start, row.end) not in known]
    spans = (Span(row.document_id, row.start, row.end) for row in left)
    return fingerprint, len(left), zip(spans, chunk_texts(db, corpus, left), strict=True)


async def refined_chunk(
    chunk: ChunkText, stages: Sequence[StageConfig], ask: AskProvider, prompts: FrozenPrompts
) -> RefinedChunk:
    """The text that a chunk is indexed by after all stages.

    A stage leaves the text as it is where two replies cannot be used, or the provider's filter
    refuses it. Raises ModelError where no reply came for another reason.
    """
    replies: list[ChatReply] = []
    unusable = 0
    for config, change in zip(stages, open_changes(stages), strict=True):
        if not isinstance(change, AskedChange):
            chunk = replace(chunk, text=change(chunk))
            continue

        async def noted(request: ChatRequest, provider: str = config.provider) -> ChatReply:
            replies.append(await ask(request, provider))
            return replies[-1]

        prompt, values = prompts.find(change.prompt, chunk.lang), change.values(chunk)
        try:
            # what there is of a text that was cut short is a text all the same
            texts = await ask_for(prompt, values, noted, read_prose, may_be_cut=True)
        except ModelError as error:
            if error.effect is not Effect.REFUSE_ITEM:
                raise
            texts = ()
        unusable += not texts
        for text in texts:
            chunk = replace(chunk, text=change.changed(chunk, text))
    return RefinedChunk(chunk.text, call_refs(replies), unusable)
