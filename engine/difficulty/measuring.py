"""Measures the difficulty of items in a child process, which keeps the similarities it opened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache

from engine.difficulty.formulas import generation_difficulty, retrieval_difficulty
from engine.difficulty.references import Places, reference_of
from engine.graph.entity_graph import EntityGraph
from engine.jobs.pool import child_workspace
from engine.retrieve import in_child
from engine.retrieve.hidden import findable_evidence
from engine.retrieve.names import RETRIEVERS
from store.corpora import corpora, graphs
from store.datasets.difficulties import TurnDifficulty, Unmeasured
from store.records import Evidence, Span
from store.systems import Retrieval

_BY_WORDS = frozenset(RETRIEVERS) - {"lsa"}
"""Retrievers whose scores are no cosines."""


def measure(
    corpus_id: int,
    retrieval: Retrieval,
    fingerprint: str,
    items: Sequence[Unmeasured],
    graph_id: int | None = None,
) -> list[TurnDifficulty]:
    """The difficulty of every turn of some items; with a graph, among the chunks that name an
    entity of question or answer."""
    source = Similarities(corpus_id, retrieval, fingerprint)
    graph = None if graph_id is None else entity_graph(graph_id)
    return [row for item in items for row in _measured(source, item, graph)]


class Similarities:
    """How like a question each chunk of a corpus is, in [0, 1] (an embedding's cosine may be
    negative): the cosine of vectors; of a search by words, its score over that of the best chunk.
    """

    def __init__(self, corpus_id: int, retrieval: Retrieval, fingerprint: str) -> None:
        self.corpus_id = corpus_id
        self._retriever = in_child.retriever(corpus_id, retrieval, fingerprint)
        self._by_words = retrieval.retriever in _BY_WORDS
        self.places = _places(corpus_id, fingerprint)
        self._chunks = sum(map(len, self.places.values()))

    def of(self, question: str) -> dict[Span, float]:
        """The similarity of all chunks that share anything with a question, best first; others
        have 0."""
        (hits,) = self._retriever.search([question], self._chunks)
        scale = hits[0].score if self._by_words and hits else 1.0
        return {Span(hit.document_id, hit.start, hit.end): hit.score / scale for hit in hits}


@lru_cache(maxsize=8)
def _places(corpus_id: int, fingerprint: str) -> Places:
    rows = corpora.index_rows(child_workspace().db, in_child.corpus(corpus_id))
    places: defaultdict[str, list[Span]] = defaultdict(list)
    for row in rows:
        places[row.document_id].append(Span(row.document_id, row.start, row.end))
    return places


@lru_cache(maxsize=2)
def entity_graph(graph_id: int) -> EntityGraph:
    """A stored graph, read once by a process."""
    db = child_workspace().db
    return EntityGraph(db, graphs.get(db, graph_id))


def _measured(
    source: Similarities, item: Unmeasured, graph: EntityGraph | None
) -> list[TurnDifficulty]:
    db = child_workspace().db
    corpus = in_child.corpus(source.corpus_id)
    hidden = in_child.hidden_documents(source.corpus_id, item.content.hidden)
    rows = []
    for number, turn in enumerate(item.content.turns):
        similar = source.of(turn.question)
        if hidden is not None:
            unseen = hidden.among(chunk.document_id for chunk in similar)
            similar = {
                chunk: value for chunk, value in similar.items() if chunk.document_id not in unseen
            }
        evidence = findable_evidence(db, corpus, item.content, number)
        candidates = None
        if graph is not None:
            said = "\n".join((turn.question, *turn.golden_answers))
            candidates = graph.candidates(graph.named_in(said))
        rows.append(
            turn_difficulty(item.revision_id, number, evidence, similar, source.places, candidates)
        )
    return rows


def turn_difficulty(
    revision_id: int,
    number: int,
    evidence: Sequence[Evidence],
    similar: Mapping[Span, float],
    places: Places,
    candidates: Set[Span] | None = None,
) -> TurnDifficulty:
    """The difficulty of a turn, given how like its question the chunks are.

    Candidates are all chunks unless they are named; golden references are always among them. Every
    piece of evidence is a key sentence. `distance` is 1 - mean sim(q, g): how little the question
    is like its golden references, whatever else there is.
    """
    standing = [
        reference
        for unit in evidence
        if (reference := reference_of(unit, places, similar)) is not None
    ]
    if not standing:
        return TurnDifficulty(revision_id, number, None, None, None)
    golden = [similar.get(reference, 0.0) for reference in dict.fromkeys(standing)]
    others = [
        value for chunk, value in similar.items() if candidates is None or chunk in candidates
    ]
    return TurnDifficulty(
        revision_id,
        number,
        retrieval_difficulty([*others, *golden], golden),
        generation_difficulty(standing),
        1 - sum(golden) / len(golden),
    )
