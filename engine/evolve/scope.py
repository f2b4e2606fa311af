"""What an evolution works on: a corpus with its graph, and how its questions are measured."""

from __future__ import annotations

import random
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence

from engine.difficulty.references import Places
from engine.evolve.pool_tasks import measure_qra
from engine.evolve.qra import DETAILS, Qra, entities_of, golden
from engine.graph.entity_graph import EntityGraph
from engine.jobs.context import JobContext
from store.corpora import corpora, graphs
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Dataset
from store.records import Span
from store.systems import Retrieval

ItemsByChunk = Mapping[Span, Sequence[Qra]]
"""The items of a dataset as QRAs, by the first golden reference of each."""


class EvolveScope:
    def __init__(
        self, db: sqlite3.Connection, corpus: Corpus, graph_id: int, retrieval: Retrieval, seed: int
    ) -> None:
        self.db = db
        self.corpus = corpus
        self.graph = EntityGraph(db, graphs.get(db, graph_id))
        self.retrieval = retrieval
        self.fingerprint = corpora.fingerprint(db, corpus)
        places: defaultdict[str, list[Span]] = defaultdict(list)
        for row in corpora.index_rows(db, corpus):
            places[row.document_id].append(Span(row.document_id, row.start, row.end))
        self.places: Places = dict(places)
        self.seed = seed
        self.sources = self._sources()
        """The chunks to begin families from, in drawn order."""

    def _sources(self) -> list[Span]:
        """The chunks that name an entity of several documents."""
        shared = [one.id for one in self.graph.entities.values() if one.documents > 1]
        chunks = sorted(self.graph.candidates(shared))
        random.Random(f"{self.seed}").shuffle(chunks)
        return chunks

    def shared_entities(self, chunk: Span) -> list[int]:
        """The entities of a chunk that other documents name too, the rarest first."""
        numbers = [
            number
            for number in self.graph.of_document[chunk.document_id]
            if self.graph.entities[number].documents > 1 and chunk in self.graph.chunks[number]
        ]
        return sorted(numbers, key=lambda number: (-self.graph.rarity(number), number))

    def candidates(self, qra: Qra) -> list[Span]:
        """The chunks that share an entity with a question or its answer and are not its own."""
        own = set(golden(qra, self.places))
        return sorted(self.graph.candidates(entities_of(qra, self.graph)) - own)

    def shared_with(self, qra: Qra, chunk: Span) -> Sequence[int]:
        """The entities of a question that a chunk names, the rarest first."""
        own = set(entities_of(qra, self.graph))
        return [number for number in self.shared_entities(chunk) if number in own]

    async def measure(self, context: JobContext, qra: Qra) -> tuple[float, float]:
        """RD and GD of a question, computed in a child process."""
        return await context.in_child(
            measure_qra,
            self.corpus.id,
            self.retrieval,
            self.fingerprint,
            self.graph.graph.id,
            qra,
        )

    def items_by_chunk(self, dataset: Dataset) -> ItemsByChunk:
        """The items of one question with evidence in a chunk and one form of the answer: several
        may be parts of it, as in imported lists."""
        found: defaultdict[Span, list[Qra]] = defaultdict(list)
        for content in datasets.head_contents(self.db, dataset).values():
            turn = content.turns[0]
            if len(content.turns) > 1 or len(turn.golden_answers) != 1 or not turn.evidence:
                continue
            qra = Qra(
                turn.question,
                turn.golden_answers,
                turn.evidence,
                content.lang,
                DETAILS,
                turn.keypoints,
            )
            if references := golden(qra, self.places):
                found[references[0]].append(qra)
        return found
