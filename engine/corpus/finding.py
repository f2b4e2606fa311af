"""Documents of a corpus by whatever files call them, and the places of quotes in them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from engine.text.normalisation import document_id, normalise
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.errors import InputError
from store.formats.predictions import FileHit, Name
from store.records import Evidence, Hit

_CHUNK_ID = re.compile(r"(?P<document>d[0-9a-f]{32}):(?P<start>\d+)-(?P<end>\d+)")
_TEXTS_KEPT = 1_000
"""Documents whose text is kept in memory: files quote one document many times in a row."""


class CorpusDocuments:
    """Finds a document by its id, its imported id, or any ending of a path that it alone has."""

    def __init__(self, db: sqlite3.Connection, corpus: Corpus) -> None:
        self._db = db
        self._corpus = corpus
        self._lengths = corpora.document_lengths(db, corpus)
        external_ids = corpora.document_by_external_id(db, corpus)
        self._external = {name: document for name, (document, _) in external_ids.items()}
        self._paths = by_ending(corpora.document_by_path(db, corpus))
        self.text = lru_cache(_TEXTS_KEPT)(self._read)
        """The text of a document of the corpus, by its id."""
        self._files: dict[tuple[str, ...], tuple[str, ...]] | None = None
        """Read when first asked for: by every ending of their path the files of many documents."""
        self.unknown: dict[str, None] = {}
        """Names of retrieved documents that the corpus does not hold, in order."""

    def find(self, names: Sequence[str], text: str | None = None) -> str | None:
        """The document of the first name that is known, or the one that is exactly `text`."""
        for name in names:
            document = self._find(name)
            if document is not None:
                return document
        same = document_id(text) if text else ""
        return same if same in self._lengths else None

    def all_of(self, name: str) -> tuple[str, ...]:
        """The document of that name, or all documents of the one file whose path ends so."""
        one = self._find(name)
        if one is not None:
            return (one,)
        if self._files is None:
            held = corpora.documents_by_file(self._db, self._corpus)
            endings = by_ending({path: path for path in held})
            self._files = {ending: held[path] for ending, path in endings.items()}
        return self._files.get(Path(name).parts, ())

    def at_path(self, path: str) -> str | None:
        """The document of the one file whose path ends so."""
        return self._paths.get(Path(path).parts)

    def by_external_id(self, name: str) -> str | None:
        """The document that was imported under that id."""
        return self._external.get(name)

    def whole(self, document: str, score: float = 0.0) -> Hit:
        return Hit(document, 0, self._lengths[document], score)

    def missing(self, name: str, score: float = 0.0) -> Hit:
        """A retrieved document that the corpus does not hold: it keeps its rank and is recorded."""
        self.unknown[name] = None
        return Hit(name, 0, 0, score)

    def retrieved(self, name: str, text: str | None = None, score: float = 0.0) -> Hit:
        """A retrieved document as a whole, by its name or its exact text."""
        document = self.find([name], text)
        return self.missing(name, score) if document is None else self.whole(document, score)

    def chunk(self, name: str, score: float = 0.0) -> Hit | None:
        """The span that a chunk id names, if it lies in a document of the corpus."""
        match = _CHUNK_ID.fullmatch(name)
        if match is None:
            return None
        document, start, end = match["document"], int(match["start"]), int(match["end"])
        if not self.holds(document, start, end):
            return None
        return Hit(document, start, end, score)

    def length(self, document: str) -> int:
        """The characters of a document; 0 for one that the corpus does not hold."""
        return self._lengths.get(document, 0)

    def holds(self, document: str, start: int, end: int) -> bool:
        return 0 <= start < end <= self.length(document)

    def quote(self, document: str, text: str) -> Evidence | None:
        """The first place where the document holds `text` word for word.

        A text that may differ in line ends or invisible characters has to be normalised first.
        """
        return quote_in(document, self.text(document), text)

    def _read(self, document: str) -> str:
        return corpora.documents_by_id(self._db, self._corpus, [document])[document].text

    def _find(self, name: str) -> str | None:
        if name in self._lengths:
            return name
        return self.by_external_id(name) or self.at_path(name)


class HitReader:
    """Reads the retrieved entries of a file as hits; counts texts that no document holds."""

    def __init__(self, documents: CorpusDocuments) -> None:
        self._documents = documents
        self.unlocated = 0

    def read(self, place: str, entry: Name | FileHit) -> Hit:
        """Raises InputError for an entry without name and text, and for an impossible span."""
        given = entry if isinstance(entry, FileHit) else FileHit(id=entry)
        score = given.score or 0.0
        if not given.names and not given.text:
            raise InputError(
                f"{place}: field `retrieved`: an entry names no document.",
                "Give it `document_id`, `id` or `source`.",
            )
        for name in given.names:
            chunk = self._documents.chunk(name, score)
            if chunk is not None:
                return chunk
        document = self._documents.find(given.names, given.text)
        if document is None:
            return self._documents.missing(given.label, score)
        if given.start is not None or given.end is not None:
            return self._span(place, document, given)
        return self._located(document, given.text, score)

    def _span(self, place: str, document: str, given: FileHit) -> Hit:
        start, end = given.start, given.end
        if start is None or end is None or not self._documents.holds(document, start, end):
            raise InputError(
                f"{place}: field `retrieved`: {given.label!r} has no characters {start} to {end}.",
                "Give `start` and `end` as offsets into the document's text, or neither.",
            )
        return Hit(document, start, end, given.score or 0.0)

    def _located(self, document: str, text: str | None, score: float) -> Hit:
        if not text:
            return self._documents.whole(document, score)
        quote = self._documents.quote(document, normalise(text))
        if quote is None or quote.start is None or quote.end is None:
            self.unlocated += 1
            return self._documents.whole(document, score)
        return Hit(document, quote.start, quote.end, score)


def quote_in(document: str, document_text: str, text: str) -> Evidence | None:
    """The first place where a document holds `text` word for word; None for an empty text."""
    start = document_text.find(text) if text else -1
    return Evidence(document, start, start + len(text), text) if start >= 0 else None


def by_ending(paths: Mapping[str, str]) -> dict[tuple[str, ...], str]:
    """Document ids by every ending of their path that only one path has."""
    by_parts: dict[tuple[str, ...], str | None] = {}
    for path, document in paths.items():
        parts = Path(path).parts
        for begin in range(len(parts)):
            ending = parts[begin:]
            by_parts[ending] = None if ending in by_parts else document
    return {ending: document for ending, document in by_parts.items() if document is not None}
