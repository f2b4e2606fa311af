"""Stores entity-document graphs: what each chunk names, the entities, and where they stand."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.corpora.corpora import Corpus
from store.hashing import canonical_json, content_hash
from store.records import Span

OFFLINE = "offline"
"""The method of a graph whose entities were named by rule."""


class Graph(Struct, frozen=True):
    id: int
    corpus_id: int
    fingerprint: str
    """Of the corpus as it was."""
    method: str
    """`offline`, or the model that named the entities."""
    is_linked: bool
    """Whether all chunks were looked at and the entities are known."""


class ChunkNames(Struct, frozen=True):
    """What a chunk names, or why that is not known."""

    chunk: Span
    state: str
    """parsed, empty, refused, unparsed, failed."""
    names: tuple[str, ...] = ()
    reason: str = ""
    call_key: str | None = None
    cached: bool = False


class StoredEntity(Struct, frozen=True):
    id: int
    name: str
    aliases: tuple[str, ...]
    chunks: int
    """That it stands in."""
    documents: int


_GRAPH = "SELECT id, corpus_id, fingerprint, method, linked_at IS NOT NULL FROM graph"


def begin(
    db: sqlite3.Connection,
    corpus: Corpus,
    fingerprint: str,
    method: str,
    recipe: Mapping[str, Any],
) -> Graph:
    """The graph of a corpus as it is by a recipe, a new one where there is none."""
    key = (corpus.id, fingerprint, content_hash(recipe))
    db.execute(
        "INSERT INTO graph (corpus_id, fingerprint, recipe_hash, method, recipe, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (*key, method, canonical_json(recipe).decode(), now_text()),
    )
    row = db.execute(
        f"{_GRAPH} WHERE corpus_id = ? AND fingerprint = ? AND recipe_hash = ?", key
    ).fetchone()
    return _graph(row)


def get(db: sqlite3.Connection, graph_id: int) -> Graph:
    return _graph(db.execute(f"{_GRAPH} WHERE id = ?", (graph_id,)).fetchone())


def find(db: sqlite3.Connection, corpus: Corpus) -> Graph | None:
    """The newest graph of a corpus whose entities are known, whatever the corpus is by now."""
    row = db.execute(
        f"{_GRAPH} WHERE corpus_id = ? AND linked_at IS NOT NULL ORDER BY linked_at DESC, id DESC",
        (corpus.id,),
    ).fetchone()
    return None if row is None else _graph(row)


def looked_at(db: sqlite3.Connection, graph_id: int) -> set[Span]:
    """The chunks whose names are known, or known not to be had."""
    rows = db.execute(
        "SELECT document_id, start, end FROM graph_chunk WHERE graph_id = ?", (graph_id,)
    )
    return {Span(*row) for row in rows}


def put_names(db: sqlite3.Connection, graph_id: int, chunks: Iterable[ChunkNames]) -> None:
    db.executemany(
        "INSERT INTO graph_chunk (graph_id, document_id, start, end, state, reason, names,"
        " call_key, cached) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                graph_id,
                one.chunk.document_id,
                one.chunk.start,
                one.chunk.end,
                one.state,
                one.reason,
                msgspec.json.encode(one.names).decode(),
                one.call_key,
                one.cached,
            )
            for one in chunks
        ],
    )


def name_counts(db: sqlite3.Connection, graph_id: int) -> dict[str, int]:
    """In how many chunks each name was said to stand."""
    rows = db.execute(
        "SELECT named.value, count(*) FROM graph_chunk, json_each(names) AS named"
        " WHERE graph_id = ? GROUP BY 1",
        (graph_id,),
    )
    return dict(rows.fetchall())


def state_counts(db: sqlite3.Connection, graph_id: int) -> dict[str, int]:
    """The number of chunks by what became of them."""
    rows = db.execute(
        "SELECT state, count(*) FROM graph_chunk WHERE graph_id = ? GROUP BY state", (graph_id,)
    )
    return dict(rows.fetchall())


def reopen_failed(db: sqlite3.Connection, graph_id: int) -> int:
    """Forgets that calls for chunks failed, and the entities; returns how many chunks that is."""
    failed = db.execute(
        "DELETE FROM graph_chunk WHERE graph_id = ? AND state = 'failed'", (graph_id,)
    ).rowcount
    if failed:
        db.execute("UPDATE graph SET linked_at = NULL WHERE id = ?", (graph_id,))
    return failed


def spent(db: sqlite3.Connection, graph_id: int) -> tuple[int, float]:
    """Tokens and money that the calls for a graph used, without those served from the cache."""
    tokens, cost = db.execute(
        "SELECT coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),"
        " coalesce(sum(cost), 0.0) FROM graph_chunk JOIN model_call ON key = call_key"
        " WHERE graph_id = ? AND NOT cached",
        (graph_id,),
    ).fetchone()
    return int(tokens), float(cost)


class Linked(Struct, frozen=True):
    """An entity to store, with the chunks that it stands in."""

    name: str
    aliases: tuple[str, ...]
    chunks: tuple[Span, ...]


def put_entities(db: sqlite3.Connection, graph_id: int, entities: Sequence[Linked]) -> None:
    """Stores the entities of a graph in the place of those that it had."""
    db.execute(
        "DELETE FROM entity_mention WHERE entity_id IN (SELECT id FROM entity WHERE graph_id = ?)",
        (graph_id,),
    )
    db.execute("DELETE FROM entity WHERE graph_id = ?", (graph_id,))
    for one in entities:
        number = db.execute(
            "INSERT INTO entity (graph_id, name, aliases) VALUES (?, ?, ?)",
            (graph_id, one.name, msgspec.json.encode(one.aliases).decode()),
        ).lastrowid
        db.executemany(
            "INSERT INTO entity_mention (entity_id, document_id, start, end) VALUES (?, ?, ?, ?)",
            [(number, chunk.document_id, chunk.start, chunk.end) for chunk in one.chunks],
        )
    db.execute("UPDATE graph SET linked_at = ? WHERE id = ?", (now_text(), graph_id))


def entities(db: sqlite3.Connection, graph_id: int) -> list[StoredEntity]:
    """The entities of a graph, those of most documents first."""
    rows = db.execute(
        "SELECT id, name, aliases, count(start), count(DISTINCT document_id) AS documents"
        " FROM entity LEFT JOIN entity_mention ON entity_id = id WHERE graph_id = ?"
        " GROUP BY id ORDER BY documents DESC, count(start) DESC, name",
        (graph_id,),
    )
    decode = msgspec.json.Decoder(tuple[str, ...]).decode
    return [StoredEntity(id, name, decode(aliases), *rest) for id, name, aliases, *rest in rows]


def mentions(db: sqlite3.Connection, graph_id: int) -> dict[int, list[Span]]:
    """The chunks that each entity of a graph stands in, by its number."""
    rows = db.execute(
        "SELECT entity_id, document_id, start, end FROM entity_mention"
        " JOIN entity ON entity.id = entity_id WHERE graph_id = ?"
        " ORDER BY entity_id, document_id, start",
        (graph_id,),
    )
    found: dict[int, list[Span]] = {}
    for number, *chunk in rows:
        found.setdefault(number, []).append(Span(*chunk))
    return found


def _graph(row: tuple[int, int, str, str, int]) -> Graph:
    id, corpus_id, fingerprint, method, linked = row
    return Graph(id, corpus_id, fingerprint, method, bool(linked))
