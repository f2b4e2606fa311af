"""The retrievers and the kinds of rerankers by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from engine.retrieve.expression import Expression, read_expression
from engine.retrieve.index.kind import IndexKind
from engine.retrieve.rerank import Reranker
from store.errors import UsageError
from store.systems import RerankerConfig, Retrieval

if TYPE_CHECKING:
    from engine.retrieve.asking_rerank import AskingKind


def _bm25() -> IndexKind:
    from engine.retrieve.index.bm25 import Bm25Index

    return Bm25Index()


def _okapi() -> IndexKind:
    from engine.retrieve.index.okapi import OkapiIndex

    return OkapiIndex()


def _lsa() -> IndexKind:
    from engine.retrieve.index.lsa import LsaIndex

    return LsaIndex()


class RetrieverEntry(Struct, frozen=True):
    """The properties of a retriever that are known before its libraries are imported."""

    name: str
    description: str
    kind: Callable[[], IndexKind]
    baseline: bool = True
    """Whether to call it a baseline wherever it is shown."""
    has_vectors: bool = False


RETRIEVERS: dict[str, RetrieverEntry] = {
    entry.name: entry
    for entry in (
        RetrieverEntry("bm25", "BM25, Lucene's variant (k1 1.2, b 0.75), by bm25s", _bm25),
        RetrieverEntry("bm25-okapi", "BM25 with rank_bm25's Okapi scores (k1 1.5, b 0.75)", _okapi),
        RetrieverEntry(
            "lsa", "latent semantic analysis: TF-IDF, SVD, cosine", _lsa, has_vectors=True
        ),
    )
}


def _every_chunk() -> IndexKind:
    from engine.retrieve.index.every_chunk import EveryChunkIndex

    return EveryChunkIndex()


EVERY_CHUNK = RetrieverEntry(
    "every-chunk", "every chunk, for a reranker to put in order", _every_chunk
)
"""What takes the place of a retriever where a reranker reads all."""


def retriever_entry(name: str) -> RetrieverEntry:
    """The retriever of that name; raises `UsageError` naming all of them."""
    if name == EVERY_CHUNK.name:
        return EVERY_CHUNK
    try:
        return RETRIEVERS[name]
    except KeyError:
        raise UsageError(
            f"There is no retriever '{name}'.", f"Choose one of: {', '.join(RETRIEVERS)}."
        ) from None


def vector_side(retrieval: Retrieval) -> Retrieval | None:
    """The part of a retrieval that searches by vectors, without rerankers; None where none does."""
    names = {name for name, entry in RETRIEVERS.items() if entry.has_vectors}
    names |= {embedding.name for embedding in retrieval.embeddings}
    written = read_expression(retrieval.retriever)
    sides = tuple(side for side in written.sides if side.name in names)
    if not sides:
        return None
    left = Expression(sides, written.joined if len(sides) > 1 else "")
    return replace(retrieval, retriever=str(left), rerank=())


def _cross_encoder(config: RerankerConfig) -> Reranker:
    from engine.retrieve.neural.cross_encoder import CrossEncoderReranker

    return CrossEncoderReranker(config)


def _listwise() -> AskingKind:
    from engine.retrieve.listwise import KIND

    return KIND


def _pointwise() -> AskingKind:
    from engine.retrieve.pointwise import KIND

    return KIND


class RerankerEntry(Struct, frozen=True):
    """A kind of reranker, as `kind` of a `[rerankers.NAME]` table names it."""

    open: Callable[[RerankerConfig], Reranker] | None = None
    """For one that computes."""
    asks: Callable[[], AskingKind] | None = None
    """For one that asks a language model at a provider."""

    @property
    def has_weights(self) -> bool:
        """Whether its `model` is a folder of weights, or a name on the hub."""
        return self.asks is None


RERANKERS: dict[str, RerankerEntry] = {
    "cross-encoder": RerankerEntry(_cross_encoder),
    "listwise": RerankerEntry(asks=_listwise),
    "pointwise": RerankerEntry(asks=_pointwise),
}


def asking_kind(config: RerankerConfig) -> AskingKind | None:
    """How a reranker asks a language model; None for one that computes."""
    asks = RERANKERS[config.kind].asks
    return None if asks is None else asks()
