"""The types that every reader of a file format takes and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from store.records import Source

LARGEST_DOCUMENT = 64 * 1024 * 1024
"""Bytes of the largest line, and of the largest file that is read as a whole."""


class ReadDocument(Struct, frozen=True, omit_defaults=True):
    """A document as a reader found it in a file."""

    text: str
    source: Source
    meta: dict[str, Any] = {}
    """Further facts about the document, by the names of the file's fields."""
    warnings: tuple[str, ...] = ()
    """Warnings about the reading, such as replaced bytes."""


class Refusal(Struct, frozen=True):
    """A file, or a place in one, that could not be read as a document."""

    path: str
    locator: str
    """Place inside the file, as in `Source.locator`; empty for the whole file."""
    reason: str
    """The fault, in words that follow `path, locator: `."""


class ReadOptions(Struct, frozen=True):
    text_field: str | None = None
    """Field or column that holds the text; null to try the usual names."""
    follow_links: bool = False
    """Whether links in folders are read that lead out of what was named."""
    group: int | None = None
    """The group whose members must be able to read each file themselves; null for no such rule."""


Read = ReadDocument | Refusal


def with_warning(read: Read, warning: str) -> Read:
    """A document that was read with a warning; a refusal, and a document without one, as it is."""
    if warning and isinstance(read, ReadDocument):
        return replace(read, warnings=(warning,))
    return read


Reader = Callable[[Path, str, ReadOptions], Iterator[Read]]
"""Reads one file: its path, the same path as the person gave it, options.

A reader yields its documents with their texts as the file has them, and a refusal for each place
that holds none. What breaks the whole file it raises as OSError or InputError.
"""
