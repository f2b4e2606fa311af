"""Queries for browsing a corpus: its documents, one in full, its neighbours, and a search."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Sequence

import msgspec

from store.corpora.corpora import Corpus
from store.errors import NotFound
from store.hashing import canonical_json
from store.records import Chunk, Source

BEGINNING = 100
_PAGES = "locator LIKE 'page %' AND superseded_at IS NULL"
_BOUND_AT_ONCE = 500
"""Values in one statement; SQLite allows 999 in its oldest builds."""


class DocumentLine(msgspec.Struct, frozen=True):
    row: int
    title: str
    """Of the first of its live sources, as are path and locator."""
    path: str
    locator: str
    lang: str
    tokens: int
    beginning: str
    """The first characters of the text, `BEGINNING` of them."""
    topic: str
    """Key of the topic that it was given last; empty when it has none."""


class DocumentSheet(msgspec.Struct, frozen=True):
    """A document with all that the corpus stores about it."""

    document_id: str
    text: str
    lang: str
    tokens: int
    sources: tuple[Source, ...]
    """Those that hold it now, by path and locator."""
    chunks: tuple[Chunk, ...]
    topics: tuple[tuple[str, str, str], ...]
    """(taxonomy key, topic key, how it was found), the newest first."""


# beside a min() SQLite takes the other columns from the row that holds it
_FIRST_SOURCES = """
SELECT document, title, path, locator, min(path || char(31) || locator) AS place FROM source
WHERE corpus_id = ? AND superseded_at IS NULL
"""


def document_rows(db: sqlite3.Connection, corpus: Corpus, wanted: str = "") -> list[int]:
    """Row numbers of the corpus' documents, in the order in which their sources were read.

    With `wanted`, those whose text or title holds it, from one character up, whatever the case and
    the width (half or full) of the letters A to Z.
    """
    forms = like_forms(wanted)
    # LIKE walks each text once a form; a word index would miss what lies inside of Chinese words
    clause = " OR ".join("text LIKE ? ESCAPE '\\' OR title LIKE ? ESCAPE '\\'" for _ in forms)
    rows = db.execute(
        "SELECT document.id FROM document JOIN (SELECT document, title, min(id) AS first"
        " FROM source WHERE corpus_id = ? AND superseded_at IS NULL GROUP BY document) AS live"
        f" ON live.document = document.id {'WHERE ' + clause if clause else ''} ORDER BY first",
        (corpus.id, *(form for form in forms for _ in range(2))),
    )
    return [row for (row,) in rows]


def like_forms(wanted: str) -> list[str]:
    """The LIKE patterns of the typed text: as typed, in half width and in full width."""
    if not wanted:
        return []
    narrow = unicodedata.normalize("NFKC", wanted)
    wide = "".join(
        chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in narrow
    )
    # LIKE knows upper and lower case of ASCII alone
    typed = unicodedata.normalize("NFC", wanted)
    forms = dict.fromkeys((typed, narrow, wide, wide.upper(), wide.lower()))
    return [f"%{_escaped(form)}%" for form in forms]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def document_lines(
    db: sqlite3.Connection, corpus: Corpus, rows: Sequence[int]
) -> list[DocumentLine]:
    """The lines of some documents, in the order of `rows`; missing documents are left out."""
    lines: dict[int, DocumentLine] = {}
    for start in range(0, len(rows), _BOUND_AT_ONCE):
        some = rows[start : start + _BOUND_AT_ONCE]
        places = ",".join("?" * len(some))
        for line in db.execute(
            "SELECT document.id, title, path, locator, lang, tokens,"
            f" substr(text, 1, {BEGINNING}), coalesce((SELECT topic FROM document_topic"
            " WHERE document = document.id ORDER BY number DESC LIMIT 1), '')"
            f" FROM document JOIN ({_FIRST_SOURCES} AND document IN ({places}) GROUP BY document)"
            " AS live ON live.document = document.id",
            (corpus.id, *some),
        ):
            lines[line[0]] = DocumentLine(*line)
    return [lines[row] for row in rows if row in lines]


def document_sheet(db: sqlite3.Connection, corpus: Corpus, row: int) -> DocumentSheet:
    """One document with its sources, chunks and topics. Raises NotFound for no such row."""
    document = db.execute(
        "SELECT document_id, text, lang, tokens FROM document WHERE id = ?", (row,)
    ).fetchone()
    if document is None:
        raise NotFound(f"There is no document with number {row}.")
    sources = db.execute(
        "SELECT path, title, locator, external_id FROM source"
        " WHERE corpus_id = ? AND document = ? AND superseded_at IS NULL ORDER BY path, locator",
        (corpus.id, row),
    )
    chunks = db.execute(
        "SELECT ordinal, start, end, tokens FROM chunk WHERE chunking_id = ? AND document = ?"
        " ORDER BY ordinal",
        (corpus.chunking_id, row),
    )
    topics = db.execute(
        "SELECT taxonomy_key, topic, method FROM document_topic WHERE document = ?"
        " ORDER BY number DESC",
        (row,),
    )
    document_id, text, lang, tokens = document
    return DocumentSheet(
        document_id,
        text,
        lang,
        tokens,
        tuple(Source(*source) for source in sources),
        tuple(Chunk(document_id, *chunk) for chunk in chunks),
        tuple(topics.fetchall()),
    )


def pages_around(
    db: sqlite3.Connection, corpus: Corpus, document_id: str, most: int = 2
) -> list[str]:
    """Ids of at most `most` later pages of the document's file, then as many earlier ones.

    Lines of a JSONL file and rows of a table are records of their own: they have no neighbours.
    """
    place = db.execute(
        "SELECT source.id, path FROM source JOIN document ON document.id = document"
        f" WHERE corpus_id = ? AND document_id = ? AND {_PAGES} ORDER BY path, source.id LIMIT 1",
        (corpus.id, document_id),
    ).fetchone()
    if place is None:
        return []
    number, path = place
    around: list[str] = []
    for later, order in ((">", "ASC"), ("<", "DESC")):
        rows = db.execute(
            "SELECT document_id FROM source JOIN document ON document.id = document"
            f" WHERE corpus_id = ? AND path = ? AND {_PAGES} AND source.id {later} ?"
            f" ORDER BY source.id {order} LIMIT ?",
            (corpus.id, path, number, most),
        )
        around += [name for (name,) in rows if name != document_id]
    return around


def files_of_pages(
    db: sqlite3.Connection, corpus: Corpus, document_ids: Sequence[str]
) -> dict[str, str]:
    """The file of each of some documents that is a page of one; the others are left out."""
    rows = db.execute(
        "SELECT document_id, min(path) FROM source JOIN document ON document.id = document"
        f" WHERE corpus_id = ? AND {_PAGES}"
        " AND document_id IN (SELECT value FROM json_each(?)) GROUP BY document_id",
        (corpus.id, canonical_json(list(document_ids)).decode()),
    )
    return dict(rows.fetchall())
