"""Stores the documents that are read from files in a corpus, with their sources and chunks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any

from msgspec import Struct, structs

from engine.corpus.chunking import check_settings, chunk
from engine.corpus.paths import former_text, path_of, path_text
from engine.corpus.readers import ReadDocument, Refusal
from engine.text.normalisation import detect_lang, document_id
from engine.text.tokens import count_tokens
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.records import Chunk, ChunkingSettings, Document, Source
from store.workspace import Workspace

BATCH = 200
"""Documents a transaction: what a crash in the middle loses, and the next ingest reads again."""


class IngestReport(Struct):
    """The counts of an ingest; `unchanged` sources held the same text before."""

    added: int = 0
    edited: int = 0
    unchanged: int = 0
    superseded: int = 0
    """Sources inside a file (lines, rows) that the file no longer holds."""
    warnings: list[str] = []
    refusals: list[Refusal] = []

    @property
    def seen(self) -> int:
        return self.added + self.edited + self.unchanged


Progress = Callable[[IngestReport], None]
Count = Callable[[sqlite3.Connection, IngestReport], None]


def ingest(
    workspace: Workspace,
    corpus_name: str,
    documents: Iterable[ReadDocument | Refusal],
    chunking: ChunkingSettings | None = None,
    progress: Progress = lambda report: None,
    count: Count = lambda db, report: None,
) -> IngestReport:
    """Stores what `engine.corpus.readers.read_paths` yields in the corpus, making it if missing.

    Without `chunking` an existing corpus keeps its own. What could not be read is listed in the
    report with its reason.
    """
    if chunking is not None:
        check_settings(chunking)
    corpus = open_corpus(workspace, corpus_name, chunking)
    return put_documents(workspace, corpus, documents, progress, count)


def open_corpus(
    workspace: Workspace, name: str, chunking: ChunkingSettings | None = None
) -> Corpus:
    """The corpus of that name, made with `chunking` (or the default) if missing."""
    with workspace.write() as db:
        return corpora.create(db, name, chunking)


def put_documents(
    workspace: Workspace,
    corpus: Corpus,
    documents: Iterable[ReadDocument | Refusal],
    progress: Progress = lambda report: None,
    count: Count = lambda db, report: None,
) -> IngestReport:
    """Stores normalised documents from a reader, one batch in each transaction.

    `progress` is called after each batch, `count` inside its transaction.
    """
    report = IngestReport()
    with workspace.write() as db:
        reading = corpora.begin_reading(db, corpus)
    paths: dict[str, None] = {}
    for batch in _batches(documents):
        with workspace.write() as db:
            for entry in batch:
                if isinstance(entry, Refusal):
                    report.refusals.append(entry)
                    continue
                source = structs.replace(entry.source, path=_absolute(entry.source.path))
                paths[source.path] = None
                report.warnings += [f"{_place(source)}: {text}" for text in entry.warnings]
                outcome = _put(db, corpus, entry.text, source, entry.meta, reading)
                setattr(report, outcome, getattr(report, outcome) + 1)
            count(db, report)
        progress(report)
    # only a file of which every part could be read may retire what it no longer holds
    whole = paths.keys() - {_absolute(refusal.path) for refusal in report.refusals}
    with workspace.write() as db:
        for path in (*whole, *_former_paths(whole)):
            report.superseded += corpora.supersede_unseen(db, corpus, path, reading)
    return report


def _absolute(path: str) -> str:
    """The absolute path, so that a file has one name in every working folder."""
    return path_text(path_of(path).absolute())


def _former_paths(paths: Set[str]) -> Iterator[str]:
    """Paths that files with names other than UTF-8 were once stored under, several under one.

    Only those all of whose files are among `paths`: what is still live there is none of theirs.
    """
    folders = {path_of(path).parent for path in paths if "\\x" in path}
    for folder in folders:
        # with a folder of such a name others may have been meant, which are not known here
        if former_text(folder) == str(folder):
            by_former: dict[str, set[str]] = {}
            for name in folder.iterdir():
                by_former.setdefault(former_text(name), set()).add(path_text(name))
            for former, names in by_former.items():
                if former not in paths and names <= paths:
                    yield former


def _place(source: Source) -> str:
    return f"{source.path}, {source.locator}" if source.locator else source.path


def _put(
    db: sqlite3.Connection,
    corpus: Corpus,
    text: str,
    source: Source,
    meta: dict[str, Any],
    reading: int,
) -> str:
    document = Document(document_id(text), text, detect_lang(text), count_tokens(text))
    row = corpora.put_document(db, document)
    if not corpora.has_chunks(db, corpus, row):
        spans = chunk(text, corpus.chunking)
        corpora.put_chunks(
            db,
            corpus,
            row,
            (
                Chunk(document.id, ordinal, start, end, tokens)
                for ordinal, (start, end, tokens) in enumerate(spans)
            ),
        )
    former = former_text(path_of(source.path))
    if former != source.path:
        corpora.move_source(db, corpus, row, former, source)
    return corpora.put_source(db, corpus, row, source, meta, reading)


def _batches(
    documents: Iterable[ReadDocument | Refusal],
) -> Iterator[list[ReadDocument | Refusal]]:
    batch: list[ReadDocument | Refusal] = []
    for document in documents:
        batch.append(document)
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
