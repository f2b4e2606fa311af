"""Stores corpora: documents by content, with their sources and chunks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from store.clock import now_text
from store.errors import InputError, NotFound, UsageError
from store.hashing import canonical_json, content_hash
from store.lifecycle import archiving
from store.messages import check_printable, no_such
from store.records import Chunk, ChunkingSettings, Document, Source


class Corpus(msgspec.Struct, frozen=True):
    id: int
    name: str
    chunking_id: int
    chunking: ChunkingSettings


class CorpusCounts(msgspec.Struct, frozen=True):
    documents: int
    sources: int
    chunks: int
    characters: int
    tokens: int


class LiveDocument(msgspec.Struct, frozen=True):
    """A document as a corpus holds it now, with the first of its live sources."""

    row: int
    document_id: str
    text: str
    lang: str
    title: str
    path: str
    external_id: str


class IndexRow(msgspec.Struct, frozen=True):
    """One chunk to be indexed: its span, its text, and its document's title."""

    document_id: str
    start: int
    end: int
    title: str
    text: str


_CORPUS = (
    "SELECT corpus.id, name, chunking_id, settings FROM corpus"
    " JOIN chunking ON chunking.id = chunking_id"
)


def create(db: sqlite3.Connection, name: str, chunking: ChunkingSettings | None = None) -> Corpus:
    """The corpus of that name, made if missing, without `chunking` with the default one. A corpus
    keeps the chunking it was made with: other settings for an existing name, and a blank name,
    raise UsageError."""
    is_new = find(db, name) is None
    if is_new:
        check_printable("corpus", name)
    if chunking is None:
        if not is_new:
            return get(db, name)
        chunking = ChunkingSettings()
    chunking_id = _chunking(db, chunking)
    db.execute(
        "INSERT INTO corpus (name, chunking_id, created_at) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO NOTHING",
        (name, chunking_id, now_text()),
    )
    corpus = get(db, name)
    if corpus.chunking_id != chunking_id:
        have = corpus.chunking
        raise UsageError(
            f"Corpus {name!r} is chunked by {have.size} {have.unit} with overlap {have.overlap}.",
            "Leave the chunk options out, or give the other chunking a corpus of its own.",
        )
    return corpus


def get(db: sqlite3.Connection, name: str) -> Corpus:
    """The corpus of that name. One that is archived raises Conflict."""
    corpus = find(db, name)
    if corpus is None:
        raise no_such("corpus", name, (known.name for known in listing(db)), "Corpora here")
    archiving.refuse_archived(db, "corpus", corpus.id, name)
    return corpus


def find(db: sqlite3.Connection, name: str) -> Corpus | None:
    """The corpus of that name, archived or not, or None."""
    row = db.execute(f"{_CORPUS} WHERE name = ?", (name,)).fetchone()
    return None if row is None else _corpus(row)


def get_by_id(db: sqlite3.Connection, corpus_id: int) -> Corpus:
    row = db.execute(f"{_CORPUS} WHERE corpus.id = ?", (corpus_id,)).fetchone()
    if row is None:
        raise NotFound(f"There is no corpus with number {corpus_id}.")
    return _corpus(row)


def listing(db: sqlite3.Connection, *, archived: bool = False) -> list[Corpus]:
    """The corpora that are not archived, by name; with `archived` all."""
    where = "" if archived else f"WHERE {archiving.CORPUS_SHOWN}"
    rows = db.execute(f"{_CORPUS} {where} ORDER BY name")
    return [_corpus(row) for row in rows]


def is_empty(db: sqlite3.Connection, corpus: Corpus) -> bool:
    """Whether the corpus holds no document now."""
    (has_document,) = db.execute(
        "SELECT EXISTS (SELECT 1 FROM source WHERE corpus_id = ? AND superseded_at IS NULL)",
        (corpus.id,),
    ).fetchone()
    return not has_document


def empty_corpus(corpus: Corpus) -> InputError:
    """The error for a corpus that is to be searched and holds no document."""
    return InputError(
        f"Corpus {corpus.name!r} is empty.",
        "Add documents to it.",
        f"ragdesk ingest PATH --corpus {corpus.name}",
    )


def counts(db: sqlite3.Connection, corpus: Corpus) -> CorpusCounts:
    documents, characters, tokens = db.execute(
        "SELECT count(*), coalesce(sum(chars), 0), coalesce(sum(tokens), 0) FROM document"
        " WHERE id IN (SELECT document FROM source WHERE corpus_id = ?"
        "   AND superseded_at IS NULL)",
        (corpus.id,),
    ).fetchone()
    (sources,) = db.execute(
        "SELECT count(*) FROM source WHERE corpus_id = ? AND superseded_at IS NULL", (corpus.id,)
    ).fetchone()
    (chunks,) = db.execute(
        "SELECT count(*) FROM chunk WHERE chunking_id = ? AND document IN"
        " (SELECT document FROM source WHERE corpus_id = ? AND superseded_at IS NULL)",
        (corpus.chunking_id, corpus.id),
    ).fetchone()
    return CorpusCounts(documents, sources, chunks, characters, tokens)


def source_counts(db: sqlite3.Connection) -> dict[str, int]:
    """The number of sources (files, or records of files) of each corpus now, by its name."""
    rows = db.execute(
        "SELECT name, (SELECT count(*) FROM source WHERE corpus_id = corpus.id"
        f" AND superseded_at IS NULL) FROM corpus WHERE {archiving.CORPUS_SHOWN} ORDER BY name"
    )
    return dict(rows.fetchall())


def put_document(db: sqlite3.Connection, document: Document) -> int:
    """Stores the text unless it is there already; returns its row number."""
    db.execute(
        "INSERT INTO document (document_id, text, lang, chars, tokens, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (document_id) DO NOTHING",
        (
            document.id,
            document.text,
            document.lang,
            len(document.text),
            document.tokens,
            now_text(),
        ),
    )
    return document_row(db, document.id)


def document_row(db: sqlite3.Connection, document_id: str) -> int:
    row = db.execute("SELECT id FROM document WHERE document_id = ?", (document_id,)).fetchone()
    if row is None:
        raise NotFound(f"There is no document {document_id!r}.")
    return int(row[0])


def begin_reading(db: sqlite3.Connection, corpus: Corpus) -> int:
    """The number of a new reading of files into the corpus; later readings have larger ones."""
    db.execute("UPDATE corpus SET readings = readings + 1 WHERE id = ?", (corpus.id,))
    (number,) = db.execute("SELECT readings FROM corpus WHERE id = ?", (corpus.id,)).fetchone()
    return int(number)


_RETIRED = "SET superseded_at = ?1, checksum = row_sum(document, path, locator, ?1)"


def put_source(
    db: sqlite3.Connection,
    corpus: Corpus,
    row: int,
    source: Source,
    meta: dict[str, Any],
    reading: int = 0,
) -> str:
    """Records that `source` now holds document `row`; returns `added`, `edited` (it held another
    text before, which is superseded) or `unchanged`. `reading` is 0 where no file is read.
    """
    at = now_text()
    try:
        facts = canonical_json(meta).decode()
    except RecursionError as error:
        raise InputError(f"{source.path}, {source.locator}: fields nested too deeply.") from error
    live = db.execute(
        "SELECT id, document, title, external_id, meta FROM source"
        " WHERE corpus_id = ? AND path = ? AND locator = ? AND superseded_at IS NULL",
        (corpus.id, source.path, source.locator),
    ).fetchone()
    if live is not None:
        if live[1:] == (row, source.title, source.external_id, facts):
            db.execute(
                "UPDATE source SET seen_at = ?, reading = max(reading, ?) WHERE id = ?",
                (at, reading, live[0]),
            )
            return "unchanged"
        db.execute(f"UPDATE source {_RETIRED} WHERE id = ?2", (at, live[0]))
    db.execute(
        "INSERT INTO source (corpus_id, document, path, locator, title, external_id, meta, seen_at,"
        " reading, checksum)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, row_sum(?2, ?3, ?4, NULL))",
        (
            corpus.id,
            row,
            source.path,
            source.locator,
            source.title,
            source.external_id,
            facts,
            at,
            reading,
        ),
    )
    return "added" if live is None else "edited"


def move_source(
    db: sqlite3.Connection, corpus: Corpus, row: int, former: str, source: Source
) -> None:
    """Gives the live source that holds document `row` under path `former` the path of `source`,
    unless that has one of its own."""
    db.execute(
        "UPDATE source SET path = ?1, checksum = row_sum(document, ?1, locator, NULL)"
        " WHERE corpus_id = ?2 AND document = ?3 AND path = ?4 AND locator = ?5"
        " AND superseded_at IS NULL AND NOT EXISTS (SELECT 1 FROM source"
        "  WHERE corpus_id = ?2 AND path = ?1 AND locator = ?5 AND superseded_at IS NULL)",
        (source.path, corpus.id, row, former, source.locator),
    )


def supersede_unseen(db: sqlite3.Connection, corpus: Corpus, path: str, reading: int) -> int:
    """After `path` was read from end to end, retires what an earlier reading put there and this
    one did not find (a deleted line of a JSONL file); returns how many sources that were."""
    cursor = db.execute(
        f"UPDATE source {_RETIRED} WHERE corpus_id = ?2 AND path = ?3"
        " AND superseded_at IS NULL AND reading < ?4",
        (now_text(), corpus.id, path, reading),
    )
    return cursor.rowcount


def has_chunks(db: sqlite3.Connection, corpus: Corpus, row: int) -> bool:
    first = db.execute(
        "SELECT 1 FROM chunk WHERE chunking_id = ? AND document = ? LIMIT 1",
        (corpus.chunking_id, row),
    ).fetchone()
    return first is not None


def put_chunks(db: sqlite3.Connection, corpus: Corpus, row: int, chunks: Iterable[Chunk]) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO chunk (chunking_id, document, ordinal, start, end, tokens)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            (corpus.chunking_id, row, chunk.ordinal, chunk.start, chunk.end, chunk.tokens)
            for chunk in chunks
        ),
    )


# The live documents of a corpus, each with its first source by name, not by age: a corpus is the
# same in whatever order it was read. Beside a min() SQLite takes the other columns from the row
# that holds it; U+001F sorts before any name.
LIVE = """
SELECT document.id, document_id, text, lang, title, path, external_id
FROM document JOIN (
    SELECT document, title, path, external_id, min(path || char(31) || locator) FROM source
    WHERE corpus_id = ? AND superseded_at IS NULL GROUP BY document
) AS live ON live.document = document.id
"""


def documents(db: sqlite3.Connection, corpus: Corpus) -> Iterator[LiveDocument]:
    """The corpus' documents in order of their id, one at a time."""
    for row in db.execute(LIVE + " ORDER BY document_id", (corpus.id,)):
        yield LiveDocument(*row)


def documents_by_id(
    db: sqlite3.Connection, corpus: Corpus, document_ids: Iterable[str]
) -> dict[str, LiveDocument]:
    """Texts and sources of some documents. Those that the corpus no longer holds (superseded)
    come with their last source, because evidence and old runs still point at them."""
    out: dict[str, LiveDocument] = {}
    for document_id in dict.fromkeys(document_ids):
        row = db.execute(
            "SELECT document.id, document_id, text, lang, title, path, external_id"
            " FROM document JOIN source ON source.document = document.id"
            " WHERE document_id = ? ORDER BY corpus_id = ? DESC, superseded_at IS NULL DESC,"
            " iif(superseded_at IS NULL, 0, source.id) DESC, path, locator LIMIT 1",
            (document_id, corpus.id),
        ).fetchone()
        if row is not None:
            out[document_id] = LiveDocument(*row)
    return out


def document_lengths(db: sqlite3.Connection, corpus: Corpus) -> dict[str, int]:
    """Maps the id of every document of the corpus, superseded ones too, to its characters."""
    rows = db.execute(
        "SELECT document_id, chars FROM document WHERE id IN"
        " (SELECT document FROM source WHERE corpus_id = ?)",
        (corpus.id,),
    )
    return dict(rows.fetchall())


def document_by_external_id(db: sqlite3.Connection, corpus: Corpus) -> dict[str, tuple[str, str]]:
    """Maps `_id` of imported documents to (document id, language)."""
    rows = db.execute(
        "SELECT external_id, document_id, lang FROM source"
        " JOIN document ON document.id = source.document"
        " WHERE corpus_id = ? AND superseded_at IS NULL AND external_id <> ''",
        (corpus.id,),
    )
    return {external: (document_id, lang) for external, document_id, lang in rows}


def document_by_path(db: sqlite3.Connection, corpus: Corpus) -> dict[str, str]:
    """Maps the path of every live single-document source to its document id."""
    rows = db.execute(
        "SELECT path, document_id FROM source JOIN document ON document.id = source.document"
        " WHERE corpus_id = ? AND superseded_at IS NULL AND locator = ''",
        (corpus.id,),
    )
    return dict(rows.fetchall())


def documents_by_file(db: sqlite3.Connection, corpus: Corpus) -> dict[str, tuple[str, ...]]:
    """Maps the path of every live file of several documents to their ids, in the file's order."""
    rows = db.execute(
        "SELECT path, document_id FROM source JOIN document ON document.id = source.document"
        " WHERE corpus_id = ? AND superseded_at IS NULL AND locator <> '' ORDER BY source.id",
        (corpus.id,),
    )
    held: dict[str, dict[str, None]] = {}
    for path, document in rows:
        held.setdefault(path, {})[document] = None
    return {path: tuple(documents) for path, documents in held.items()}


def source_names(db: sqlite3.Connection, corpus: Corpus) -> dict[str, str]:
    """Maps each document id to its `_id` where imported, else to its file."""
    rows = db.execute(
        "SELECT document_id, CASE WHEN external_id <> '' THEN external_id ELSE path END"
        " FROM (" + LIVE + ")",
        (corpus.id,),
    )
    return dict(rows.fetchall())


def index_rows(db: sqlite3.Connection, corpus: Corpus) -> Iterator[IndexRow]:
    """Every chunk of the corpus, in order of document id and position."""
    # cut here and not by SQL's substr, which walks a text from its beginning for every chunk
    for document in documents(db, corpus):
        spans = db.execute(
            "SELECT start, end FROM chunk WHERE chunking_id = ? AND document = ? ORDER BY ordinal",
            (corpus.chunking_id, document.row),
        )
        for start, end in spans:
            text = document.text[start:end]
            yield IndexRow(document.document_id, start, end, document.title, text)


def fingerprint(db: sqlite3.Connection, corpus: Corpus) -> str:
    """A hash of the parts of a corpus that an index depends on: ids, titles, chunking."""
    rows = db.execute(
        "SELECT document_id, title FROM (" + LIVE + ") ORDER BY document_id", (corpus.id,)
    )
    return content_hash({"chunking": corpus.chunking, "documents": rows.fetchall()})


def _chunking(db: sqlite3.Connection, settings: ChunkingSettings) -> int:
    digest = content_hash(settings)
    db.execute(
        "INSERT INTO chunking (settings_hash, settings) VALUES (?, ?)"
        " ON CONFLICT (settings_hash) DO NOTHING",
        (digest, canonical_json(settings).decode()),
    )
    row = db.execute("SELECT id FROM chunking WHERE settings_hash = ?", (digest,)).fetchone()
    return int(row[0])


def _corpus(row: tuple[int, str, int, str]) -> Corpus:
    return Corpus(row[0], row[1], row[2], msgspec.json.decode(row[3], type=ChunkingSettings))
