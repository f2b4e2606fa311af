"""Predictions of a RAG system of one's own as JSON Lines, one answer in each line.

    {"id": "q1", "turn": 0, "repeat": 0, "answer": "…", "retrieved": ["doc-7", {"id": "doc-2"}]}

`id` is the item's key. `error` (why there is no answer) and `refused` are optional; other fields
are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from store.formats.jsonl import read_jsonl

Name = str | int
Count = Annotated[int, Meta(ge=0)]


class FileHit(Struct, frozen=True):
    """One retrieved text: a document by any of its names, and the place in it if not the whole."""

    document_id: Name | None = None
    id: Name | None = None
    source: Name | None = None
    start: Count | None = None
    end: Count | None = None
    text: str | None = None
    """The retrieved words; looked for in the document when `start` and `end` are not given."""
    score: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the line gives the document, the most reliable first."""
        given = (self.document_id, self.id, self.source)
        return tuple(str(name) for name in given if name is not None)

    @property
    def label(self) -> str:
        """The document's most reliable name, else the beginning of its text."""
        return next(iter(self.names), "") or (self.text or "")[:40]


class FilePrediction(Struct, frozen=True):
    id: Name
    turn: Count = 0
    repeat: Count = 0
    answer: str | None = None
    retrieved: list[Name | FileHit] | None = None
    """Best first; empty when nothing was found, null when it is not known what was."""
    error: str | None = None
    refused: bool = False


def read_predictions(file: Path) -> Iterator[tuple[int, FilePrediction]]:
    """(line number, prediction); raises InputError naming file, line and field."""
    yield from read_jsonl(file, FilePrediction)
