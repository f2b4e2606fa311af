"""The protocol of a change of what a chunk is indexed by."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from store.records import Lang


class ChunkText(Struct, frozen=True):
    """A chunk in its document, and the text that it is indexed by so far."""

    text: str
    """Without the title, which is put before it in the end."""
    document: str
    """The whole text of its document."""
    start: int
    """Where the chunk begins there."""
    title: str = ""
    """Of its document."""
    lang: Lang = "en"


class AskedChange(Struct, frozen=True):
    """A change that a model makes by one prompt."""

    prompt: str
    """The id of its template."""
    values: Callable[[ChunkText], Mapping[str, str]]
    """What fills the template's slots for a chunk."""
    changed: Callable[[ChunkText, str], str]
    """The text that takes the place of a chunk's, given what the model wrote."""


Change = Callable[[ChunkText], str] | AskedChange
"""Gives the text that takes the place of a chunk's."""
