"""The protocol of what is built from texts and read back: an index, or the texts themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from engine.retrieve.index.base import Progress, Retriever

if TYPE_CHECKING:
    from engine.retrieve.index.ranking import ChunkTable


Loaded = TypeVar("Loaded", covariant=True)


class ArtefactKind(Protocol[Loaded]):
    """A way to build something from texts and to read it back."""

    name: str
    libraries: tuple[str, ...]
    """Distributions whose version shapes the index."""

    def parameters(self) -> Mapping[str, int | float | str]:
        """Whatever else shapes the index."""

    def build(self, texts: Sequence[str], folder: Path, progress: Progress) -> None:
        """Write the index of `texts` as files directly into the existing `folder`.

        Raises `InputError` when no text holds a word.
        """

    def load(self, folder: Path, chunks: ChunkTable) -> Loaded:
        """What the files that `build` wrote are: of an index, the retriever over it."""


class IndexKind(ArtefactKind[Retriever], Protocol):
    """A way to build an index from texts and to read it back."""
