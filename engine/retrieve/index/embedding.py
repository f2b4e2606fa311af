"""The index of an embedding model: one vector a chunk, whatever computes the vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec
import numpy as np
from msgspec import Struct

from engine.retrieve.index.base import Progress, Retriever
from engine.retrieve.index.embedding_parts import embed_in_parts
from engine.retrieve.index.ranking import ChunkTable, Vectors
from engine.retrieve.index.vectors import Embed, VectorRetriever, read_vectors, unit, write_vectors
from store.errors import InputError, RagdeskError
from store.systems import EmbeddingConfig

Role = Literal["query", "document"]

NOTICED_SHARE = 0.1
_SAMPLE = 256
_FIT = "fit.json"


class Fit(Struct, frozen=True):
    """The fit of a model's tokenizer with the texts; shares in [0, 1] of the tokens of a sample."""

    unknown: float
    """Not in the model's vocabulary."""
    cut: float
    """Behind the model's longest input, and so not read."""
    max_length: int | None = None
    """The longest input in tokens; null when there is none."""


class Embedder(Protocol):
    """Texts to vectors; each side's instruction is put before its texts exactly once, in here."""

    part_size: int
    """Texts that are best given at once."""

    def identity(self) -> Mapping[str, int | float | str]:
        """Everything that shapes the vectors of documents."""

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """One row of float32 for each text, in order, as the model gives them."""

    def embed_each(self, texts: Sequence[str], role: Role) -> Vectors:
        """The same, where what else is embedded with a text does not change its vector."""

    def fit(self, texts: Sequence[str]) -> Fit | None:
        """The fit of the model with `texts`; none when the model does not say."""


class PrefixedEmbedder:
    """An embedder over a function that knows nothing of instructions: they become its texts' start.

    A null instruction is an empty one.
    """

    def __init__(
        self,
        embed: Embed,
        identity: Mapping[str, int | float | str],
        *,
        query_instruction: str | None = None,
        document_instruction: str | None = None,
        part_size: int = 256,
    ) -> None:
        self._embed = embed
        self._identity = identity
        self._instructions = {
            "query": query_instruction or "",
            "document": document_instruction or "",
        }
        self.part_size = part_size

    def identity(self) -> Mapping[str, int | float | str]:
        return {**self._identity, "document_instruction": repr(self._instructions["document"])}

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        instruction = self._instructions[role]
        return self._embed([instruction + text for text in texts])

    embed_each = embed

    def fit(self, texts: Sequence[str]) -> Fit | None:
        return None


class EmbeddingIndex:
    """Flat inner product over the vectors of an embedder.

    A score is the cosine of query and chunk, in [-1, 1], or their inner product where vectors
    are not normalised. Every chunk is a hit: nearness has no natural zero. The instruction for
    queries is no part of the index, so that it can be changed without embedding again.
    """

    name = "embedding"
    # the weights define the vectors; another version of the library that runs them moves the last
    # digits only, and is no reason to embed a corpus again
    libraries: tuple[str, ...] = ()

    def __init__(
        self,
        config: EmbeddingConfig,
        embedder: Embedder,
        notify: Callable[[str], None],
    ) -> None:
        self._config = config
        self._embedder = embedder
        self._notify = notify

    def parameters(self) -> Mapping[str, int | float | str]:
        return {
            **self._embedder.identity(),
            "normalise": int(self._config.normalise),
            "storage": self._config.storage,
        }

    def build(self, texts: Sequence[str], folder: Path, progress: Progress) -> None:
        if not any(text.strip() for text in texts):
            raise InputError(
                f"There is nothing to index: none of {len(texts)} chunks holds a word.",
                "Ingest documents that hold text.",
            )
        fit = self._embedder.fit(texts)
        vectors = embed_in_parts(
            lambda part: self._checked(self._embedder.embed(part, "document")),
            texts,
            folder.parent,
            self.parameters(),
            self._embedder.part_size,
            progress,
        )
        write_vectors(folder, vectors, self._config.storage)
        (folder / _FIT).write_bytes(msgspec.json.encode(fit))

    def load(self, folder: Path, chunks: ChunkTable) -> Retriever:
        fit = msgspec.json.decode((folder / _FIT).read_bytes(), type=Fit | None)
        for notice in fit_notices(self._config.name, fit):
            self._notify(notice)
        return VectorRetriever(
            self._config.name,
            lambda queries: self._checked(self._embedder.embed_each(queries, "query")),
            read_vectors(folder),
            chunks,
            embed_document=lambda texts: self._checked(
                self._embedder.embed_each(texts, "document")
            ),
            has_unit_vectors=self._config.normalise,
        )

    def _checked(self, vectors: Vectors) -> Vectors:
        vectors = finite(self._config.name, vectors)
        # normalised here, since vectors that a model normalised in bfloat16 are not of length 1
        return unit(vectors) if self._config.normalise else vectors


def finite(name: str, vectors: Vectors) -> Vectors:
    """The vectors of the embedding of that name. Raises RagdeskError where one holds no number."""
    if not np.isfinite(vectors).all():
        raise RagdeskError(
            f"The embedding {name!r} gave vectors that are not numbers.",
            'Set dtype = "float32" for it in the settings, or use another model.',
        )
    return vectors


def sample(texts: Sequence[str]) -> list[str]:
    """Up to 256 of `texts`, spread evenly over them."""
    step = max(1, len(texts) // _SAMPLE)
    return list(texts[::step][:_SAMPLE])


def fit_notices(name: str, fit: Fit | None) -> list[str]:
    """Notices that a person should read before trusting the index; none when the model suits."""
    notices = []
    if fit is not None and fit.unknown > NOTICED_SHARE:
        notices.append(
            f"The embedding {name!r} does not know {fit.unknown:.0%} of the corpus' tokens: it was"
            " made for other languages, and what it finds may be little better than chance."
        )
    if fit is not None and fit.cut > NOTICED_SHARE:
        notices.append(
            f"The embedding {name!r} reads the first {fit.max_length:,} tokens of a chunk, which"
            f" leaves out {fit.cut:.0%} of the text: smaller chunks would be read whole."
        )
    return notices
