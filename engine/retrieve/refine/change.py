"""The protocol of a change of what a chunk is indexed by."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class ChunkText(Struct, frozen=True):
    """A chunk in its document, and the text that it is indexed by so far."""

    text: str
    """Without the title, which is put before it in the end."""
    document: str
    """The whole text of its document."""
    start: int
    """Where the chunk begins there."""


Change = Callable[[ChunkText], str]
"""The text that takes the place of a chunk's."""
