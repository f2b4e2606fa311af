"""Gold items as JSON Lines, with evidence named by source file and quote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from store.formats.jsonl import read_jsonl
from store.records import UNASSIGNED, Facet, Grade, Lang


class FileEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    """Path of the document, relative to the folder that was ingested."""
    quote: str | None = None
    """Verbatim words of it; null for the whole document."""
    grade: Grade = 1


class FileTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    question: str
    golden_answers: list[str] = []
    evidence: list[FileEvidence] = []
    keypoints: list[str] = []


class FileItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    turns: list[FileTurn]
    topic: str = UNASSIGNED
    task: str = UNASSIGNED
    lang: Lang = "en"
    facets: dict[str, Facet] = {}
    hidden: list[str] = []
    """Paths of documents that no system may see, like `source` of evidence."""


def read_items(file: Path) -> Iterator[tuple[int, FileItem]]:
    """(line number, item) of a gold item file; raises InputError naming file, line and field."""
    yield from read_jsonl(file, FileItem)
