"""The parts of building a graph that keep a processor busy, in child processes."""

from __future__ import annotations

from collections.abc import Sequence

from engine.corpus.chunk_texts import chunk_documents
from engine.graph.linking import Occurrences, link
from engine.graph.naming import named_in
from engine.jobs.pool import child_workspace
from store.corpora import corpora, graphs
from store.corpora.graphs import ChunkNames, Linked
from store.records import Span


def name_by_rule(corpus_id: int, chunks: Sequence[Span]) -> list[ChunkNames]:
    """What chunks name, by rule."""
    db = child_workspace().db
    texts = chunk_documents(db, corpora.get_by_id(db, corpus_id), chunks)
    named = [named_in(text.text, text.lang) for text in texts]
    return [
        ChunkNames(chunk, "parsed" if names else "empty", names)
        for chunk, names in zip(chunks, named, strict=True)
    ]


def link_names(graph_id: int) -> list[Linked]:
    """The entities behind the names of a graph. An entity stands in every chunk that holds any of
    its names, also where nobody said so."""
    db = child_workspace().db
    graph = graphs.get(db, graph_id)
    entities = link(graphs.name_counts(db, graph_id))
    occurrences = Occurrences(
        {alias: number for number, entity in enumerate(entities) for alias in entity.aliases}
    )
    places: list[list[Span]] = [[] for _ in entities]
    for row in corpora.index_rows(db, corpora.get_by_id(db, graph.corpus_id)):
        for number in occurrences.of(row.text):
            places[number].append(Span(row.document_id, row.start, row.end))
    return [
        Linked(entity.name, entity.aliases, tuple(chunks))
        for entity, chunks in zip(entities, places, strict=True)
    ]
