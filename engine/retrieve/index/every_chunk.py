"""Every chunk of a corpus, for rerankers that need no retriever before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.retrieve.index.base import Progress, Retriever, require_positive
from engine.retrieve.index.ranking import ChunkTable
from store.records import Hit, SearchText


class EveryChunkIndex:
    """No more than the list of the chunks."""

    name = "every-chunk"
    libraries: tuple[str, ...] = ()

    def parameters(self) -> Mapping[str, int | float | str]:
        return {}

    def build(self, texts: Sequence[str], folder: Path, progress: Progress) -> None:
        progress("index", 1, 1)

    def load(self, folder: Path, chunks: ChunkTable) -> Retriever:
        return EveryChunk(chunks)


class EveryChunk:
    """Gives the chunks in the order of documents and places, all with score 0."""

    name = EveryChunkIndex.name

    def __init__(self, chunks: ChunkTable) -> None:
        self._chunks = chunks

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        require_positive(k)
        return [self._chunks.all()[:k] for _ in queries]
