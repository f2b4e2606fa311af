"""Finding the documents of a corpus by whatever people and systems call them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.text.normalisation import document_id, normalise
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.records import Hit
from store.runs import imported

_CHUNK_ID = re.compile(r"(?P<document>d[0-9a-f]{32}):(?P<start>\d+)-(?P<end>\d+)")


class DocumentNames:
    """Every name of a corpus' documents: id, imported id, and any ending of a path that one has."""

    def __init__(self, db: sqlite3.Connection, corpus: Corpus) -> None:
        self._db = db
        self._corpus = corpus
        self._lengths = imported.document_lengths(db, corpus)
        self._external = {
            name: found for name, (found, _) in corpora.document_by_external_id(db, corpus).items()
        }
        self._paths = by_ending(corpora.document_by_path(db, corpus))

    def find(self, names: Sequence[str], text: str | None = None) -> str | None:
        """The document of the first name that is known, or the one that is exactly `text`."""
        for name in names:
            found = self._find(name)
            if found is not None:
                return found
        same = document_id(text) if text else ""
        return same if same in self._lengths else None

    def whole(self, document: str, score: float = 0.0) -> Hit:
        return Hit(document, 0, self._lengths[document], score)

    def chunk(self, name: str, score: float = 0.0) -> Hit | None:
        """The span that a chunk id names, if it lies in a document of the corpus."""
        match = _CHUNK_ID.fullmatch(name)
        if match is None:
            return None
        document, start, end = match["document"], int(match["start"]), int(match["end"])
        if not self.holds(document, start, end):
            return None
        return Hit(document, start, end, score)

    def holds(self, document: str, start: int, end: int) -> bool:
        return 0 <= start < end <= self._lengths.get(document, 0)

    def locate(self, document: str, text: str) -> tuple[int, int] | None:
        """Where the document holds `text` word for word, in normalised form; its first place."""
        sought = normalise(text)
        found = corpora.documents_by_id(self._db, self._corpus, [document]).get(document)
        start = found.text.find(sought) if found is not None and sought else -1
        return (start, start + len(sought)) if start >= 0 else None

    def _find(self, name: str) -> str | None:
        if name in self._lengths:
            return name
        return self._external.get(name) or self._paths.get(path_parts(name))


def path_parts(path: str) -> tuple[str, ...]:
    return Path(path).parts


def by_ending(paths: Mapping[str, str]) -> dict[tuple[str, ...], str]:
    """Document ids by every ending of their path that only one path has."""
    found: dict[tuple[str, ...], str | None] = {}
    for path, document in paths.items():
        parts = path_parts(path)
        for begin in range(len(parts)):
            ending = parts[begin:]
            found[ending] = None if ending in found else document
    return {ending: document for ending, document in found.items() if document is not None}
