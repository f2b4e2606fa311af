"""Retrievers over a corpus: indexes opened when they are there and whole, built otherwise."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from engine.corpus.chunking import chunk
from engine.retrieve.expression import JOINS, read_expression
from engine.retrieve.fusion import FusionRetriever
from engine.retrieve.index.artefacts import no_notice, open_or_build, recipe_of
from engine.retrieve.index.base import (
    IndexColumns,
    Progress,
    Retriever,
    index_text,
    no_progress,
)
from engine.retrieve.index.kind import IndexKind
from engine.retrieve.names import RERANKERS
from engine.retrieve.passages import passages
from engine.retrieve.refined import KeptTexts, RefinedTexts, refined_columns
from engine.retrieve.rerank import RerankedRetriever
from engine.retrieve.settings import check_weights
from store.corpora import corpora
from store.corpora.corpora import Corpus, IndexRow
from store.errors import Conflict, UsageError
from store.records import ChunkingSettings, Hit
from store.systems import EmbeddingConfig, Retrieval, StageConfig
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.retrieve.index.embedding import Embedder


def open_retriever(
    workspace: Workspace,
    corpus: Corpus,
    retrieval: Retrieval,
    *,
    expected: str | None = None,
    progress: Progress = no_progress,
    notify: Callable[[str], None] = no_notice,
) -> Retriever:
    """The retriever that `retrieval` describes, over the corpus' chunks as they are now.

    Opens or builds every index that takes part; see `open_index`. Raises RagdeskError when a
    model needs the extra `neural` and that is missing, InputError when it cannot be loaded.
    """
    embeddings = {config.name: config for config in retrieval.embeddings}
    expression = read_expression(retrieval.retriever)

    def opened_index(kind: str | IndexKind) -> Retriever:
        return open_index(
            *(workspace, corpus, kind),
            chunking=retrieval.chunking,
            stages=retrieval.corpus,
            expected=expected,
            progress=progress,
            notify=notify,
        )

    def side(name: str) -> Retriever:
        if name not in embeddings:
            return opened_index(name)
        kind = _embedding_index(workspace, embeddings[name], notify)
        flat = opened_index(kind)
        if embeddings[name].index == "flat":
            return flat
        return opened_index(_near_vectors(embeddings[name], kind, flat, notify))

    opened = [side(one.name) for one in expression.sides]
    retriever = opened[0]
    if expression.joined:
        weights = [side.weight for side in expression.sides]
        retriever = join(retrieval.retriever, opened, weights, expression.joined)
    return _reranked(workspace, corpus, retriever, retrieval) if retrieval.rerank else retriever


def join(
    name: str, opened: Sequence[Retriever], weights: Sequence[float], joined: str
) -> Retriever:
    """The retriever of that name, which joins several by their weights; `joined` is how."""
    if joined not in JOINS:
        return FusionRetriever(name, opened, weights, joined)
    from engine.retrieve.index.joined_vectors import JoinedVectors
    from engine.retrieve.index.vectors import VectorRetriever

    sides = [side for side in opened if isinstance(side, VectorRetriever)]
    assert len(sides) == len(opened), "settings name sides that have vectors"
    return JoinedVectors(name, sides, weights, joined)


def _embedding_index(
    workspace: Workspace, config: EmbeddingConfig, notify: Callable[[str], None]
) -> IndexKind:
    from engine.retrieve.index.embedding import EmbeddingIndex

    return EmbeddingIndex(config, open_embedder(workspace.folder, config), notify)


def _near_vectors(
    config: EmbeddingConfig, kind: IndexKind, flat: Retriever, notify: Callable[[str], None]
) -> IndexKind:
    from engine.retrieve.index.near_vectors import NearVectors
    from engine.retrieve.index.vectors import VectorRetriever

    assert isinstance(flat, VectorRetriever), "an embedding has vectors"
    assert config.index != "flat", "the flat index is there"
    return NearVectors(config.index, flat, kind.parameters(), notify)


def open_embedder(folder: Path, config: EmbeddingConfig) -> Embedder:
    """The embedder of a configuration: over weights, or over the endpoint that the settings in
    `folder` have. Raises what `endpoint_embedder` and `check_weights` raise."""
    if config.provider:
        from engine.retrieve.neural.endpoint_model import endpoint_embedder

        return endpoint_embedder(config, folder)
    from engine.retrieve.neural.sentence_model import SentenceModel

    check_weights(folder, config)
    return SentenceModel(config)


def _reranked(
    workspace: Workspace, corpus: Corpus, retriever: Retriever, retrieval: Retrieval
) -> Retriever:
    refined: list[KeptTexts] = []  # opened on first use

    def texts(hits: Sequence[Hit]) -> list[str]:
        if retrieval.corpus:
            if not refined:
                chunking = retrieval.chunking
                refined.append(open_texts(workspace, corpus, retrieval.corpus, chunking))
            return refined[0].of(hits)
        read = passages(workspace.db, corpus, hits)
        return [index_text(passage.title, passage.text) for passage in read]

    stages = []
    for stage in retrieval.rerank:
        opens = RERANKERS[stage.reranker.kind].open
        if opens is None:
            raise UsageError(
                f"The reranker {stage.reranker.name!r} asks a language model, which only the runs"
                " of a system do.",
                "Name it as the reranker of a system in ragdesk.toml.",
            )
        check_weights(workspace.folder, stage.reranker)
        stages.append((opens(stage.reranker), stage.depth))
    return RerankedRetriever(retriever, stages, texts)


def open_index(
    workspace: Workspace,
    corpus: Corpus,
    kind: str | IndexKind,
    *,
    chunking: ChunkingSettings | None = None,
    stages: Sequence[StageConfig] = (),
    expected: str | None = None,
    progress: Progress = no_progress,
    notify: Callable[[str], None] = no_notice,
) -> Retriever:
    """The retriever of one index over the corpus' chunks as they are now, or over its stored
    texts cut by `chunking`: evidence is credited by spans, so the same gold serves any chunking.
    `stages` change what chunks are indexed by.

    `kind` is a kind of index, or the name of a built-in one. `expected` is the fingerprint of
    the corpus that a run began with. Raises Conflict when the corpus has changed since,
    InputError when it is empty.
    """
    fingerprint, chunking = chunks_fingerprint(workspace.db, corpus, chunking, expected)

    def columns() -> IndexColumns:
        if not stages:
            return index_columns(workspace.db, corpus, chunking)
        return open_texts(workspace, corpus, stages, chunking, notify).columns()

    if stages:
        fingerprint = recipe_of(RefinedTexts(stages), fingerprint).hash()
    return open_or_build(
        workspace.folder, kind, fingerprint, columns, progress=progress, notify=notify
    )


def open_texts(
    workspace: Workspace,
    corpus: Corpus,
    stages: Sequence[StageConfig],
    chunking: ChunkingSettings | None,
    notify: Callable[[str], None] = no_notice,
) -> KeptTexts:
    """The texts that `stages` make of the corpus' chunks: from their artefact, or made now. Raises
    InputError where a model has a part in them and no run has asked it."""
    fingerprint, chunking = chunks_fingerprint(workspace.db, corpus, chunking)

    def columns() -> IndexColumns:
        rows = chunk_rows(workspace.db, corpus, chunking)
        return refined_columns(workspace.db, corpus, fingerprint, rows, stages)

    return open_or_build(
        workspace.folder, RefinedTexts(stages), fingerprint, columns, notify=notify
    )


def chunks_fingerprint(
    db: sqlite3.Connection,
    corpus: Corpus,
    chunking: ChunkingSettings | None,
    expected: str | None = None,
) -> tuple[str, ChunkingSettings | None]:
    """The fingerprint of the chunks, and their chunking where it is not the corpus'.

    Raises Conflict where the corpus has not the fingerprint that is expected.
    """
    fingerprint = corpora.fingerprint(db, corpus)
    if expected is not None and fingerprint != expected:
        raise Conflict(
            f"Corpus {corpus.name!r} has changed since this run began, so its remaining answers"
            " would not be comparable.",
            "Start a new run; the finished part of this one stays.",
        )
    if chunking is None or chunking == corpus.chunking:
        return fingerprint, None
    cut = structs.replace(corpus, chunking=chunking)
    return corpora.fingerprint(db, cut), chunking


def index_columns(
    db: sqlite3.Connection, corpus: Corpus, chunking: ChunkingSettings | None = None
) -> IndexColumns:
    """What an index of the corpus is built from: its chunks, or its texts cut by `chunking`.

    Raises InputError for an empty corpus.
    """
    rows = chunk_rows(db, corpus, chunking)
    return IndexColumns(
        [row.document_id for row in rows],
        [row.start for row in rows],
        [row.end for row in rows],
        [index_text(row.title, row.text) for row in rows],
    )


def chunk_rows(
    db: sqlite3.Connection, corpus: Corpus, chunking: ChunkingSettings | None
) -> list[IndexRow]:
    """The chunks, those of a document together. Raises InputError for an empty corpus."""
    if chunking is None or chunking == corpus.chunking:
        rows = list(corpora.index_rows(db, corpus))
    else:
        rows = list(_rechunked(db, corpus, chunking))
    if not rows:
        raise corpora.empty_corpus(corpus)
    return rows


def _rechunked(
    db: sqlite3.Connection, corpus: Corpus, chunking: ChunkingSettings
) -> Iterator[IndexRow]:
    """The corpus' texts cut anew; nothing is read from files and nothing is stored."""
    for document in corpora.documents(db, corpus):
        for start, end, _ in chunk(document.text, chunking):
            text = document.text[start:end]
            yield IndexRow(document.document_id, start, end, document.title, text)
