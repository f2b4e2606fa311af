"""An entity-document graph as it is used: from a text to its entities, from those to chunks."""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from engine.graph.linking import Occurrences, folded
from store.corpora import corpora, graphs
from store.corpora.corpora import Corpus
from store.corpora.graphs import Graph, StoredEntity
from store.errors import InputError
from store.records import Span


class EntityGraph:
    """The entities of a corpus and the chunks that they stand in, in memory."""

    def __init__(self, db: sqlite3.Connection, graph: Graph) -> None:
        self.graph = graph
        self.entities: dict[int, StoredEntity] = {
            one.id: one for one in graphs.entities(db, graph.id)
        }
        self.chunks = graphs.mentions(db, graph.id)
        """By number of the entity."""
        by_alias = {alias: one.id for one in self.entities.values() for alias in one.aliases}
        self._by_alias = {folded(alias): number for alias, number in by_alias.items()}
        self._occurrences = Occurrences(by_alias)
        self.of_document: defaultdict[str, set[int]] = defaultdict(set)
        """Numbers of the entities that a document names."""
        for number, chunks in self.chunks.items():
            for chunk in chunks:
                self.of_document[chunk.document_id].add(number)

    def find(self, name: str) -> StoredEntity | None:
        """The entity that has a name among its aliases, whatever the case."""
        number = self._by_alias.get(folded(name))
        return None if number is None else self.entities[number]

    def named_in(self, text: str) -> list[int]:
        """The numbers of the entities that a text names, by any alias."""
        return self._occurrences.of(text)

    def candidates(self, numbers: Iterable[int]) -> set[Span]:
        """The chunks that name any of some entities: candidate references."""
        return {chunk for number in numbers for chunk in self.chunks.get(number, ())}

    def rarity(self, number: int) -> float:
        """How much sharing an entity says: ln(documents / documents that name it), 0 or more."""
        return math.log(len(self.of_document) / max(1, self.entities[number].documents))

    def partners(self, document_id: str, most: int) -> tuple[str, ...]:
        """At most `most` documents that share entities with one, those of the most and the rarest
        first."""
        weights: defaultdict[str, float] = defaultdict(float)
        for number in self.of_document[document_id]:
            for other in {chunk.document_id for chunk in self.chunks[number]}:
                weights[other] += self.rarity(number)
        weights.pop(document_id, None)
        ordered = sorted(weights, key=lambda other: (-weights[other], other))
        return tuple(other for other in ordered[:most] if weights[other] > 0)


def current_graph(db: sqlite3.Connection, corpus: Corpus) -> EntityGraph:
    """The newest graph of a corpus. Raises InputError where there is none, or the corpus has
    changed since."""
    graph = graphs.find(db, corpus)
    if graph is None:
        raise InputError(
            f"Corpus {corpus.name!r} has no entity graph.",
            "Build one.",
            f"ragdesk graph build {corpus.name}",
        )
    if graph.fingerprint != corpora.fingerprint(db, corpus):
        raise InputError(
            f"Corpus {corpus.name!r} has changed since its entity graph was built.",
            "Build it anew.",
            f"ragdesk graph build {corpus.name}",
        )
    return _loaded(db, graph)


@lru_cache(maxsize=1)
def _loaded(db: sqlite3.Connection, graph: Graph) -> EntityGraph:
    """A linked graph never changes, and is asked about document after document."""
    return EntityGraph(db, graph)


def partners_by_entity(
    db: sqlite3.Connection, corpus: Corpus, document_id: str, most: int
) -> tuple[str, ...]:
    """Ids of the documents that share the most and the rarest entities with one, by the graph of
    their corpus; empty where it has no graph of its present state."""
    try:
        return current_graph(db, corpus).partners(document_id, most)
    except InputError:
        return ()
