"""The parts of an evolution that keep a processor busy, in child processes."""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from engine.corpus.chunk_texts import chunk_documents
from engine.difficulty.measuring import Similarities, entity_graph, turn_difficulty
from engine.evolve.qra import DETAILS, ENTITY, Qra, entities_of
from engine.generate.rules.drafting import draft
from engine.generate.rules.facts.names import names, tagger
from engine.jobs.pool import child_workspace
from engine.retrieve import in_child
from engine.taxonomy.definitions import load_taxonomy
from store.records import Evidence, Lang, Span, Task
from store.systems import Retrieval

LEAST_SCORE = 4
"""Of a draft by rule, 1 to 5: it can stay as it is."""
_NAMES = "name"
"""The kind of answers that are entities, as the rules call it."""


@lru_cache(maxsize=1)
def _task() -> Task:
    return next(task for task in load_taxonomy("omnieval").tasks if task.key == "extractive")


def draft_chunk(corpus_id: int, chunk: Span, seed: int) -> list[Qra]:
    """Entity and details queries that rules write from a chunk, best first: a baseline."""
    db = child_workspace().db
    (text,) = chunk_documents(db, in_child.corpus(corpus_id), [chunk])
    drafts = draft(_task(), [text], {}, seed)
    made = []
    for one in drafts:
        (turn,) = one.content.turns
        if one.score < LEAST_SCORE or not _says_of_whom(turn.question, text.lang):
            continue
        kind = str(one.content.facets.get("kind", ""))
        made.append(
            Qra(
                turn.question,
                turn.golden_answers,
                tuple(_placed(unit, chunk) for unit in turn.evidence),
                text.lang,
                ENTITY if kind == _NAMES else DETAILS,
                answer_kind=kind,
            )
        )
    return made


def _says_of_whom(question: str, lang: Lang) -> bool:
    """Whether a question names whom or what it is about, so that it can be asked of a corpus: in
    English an organisation, in Chinese a subject before the verb."""
    if lang == "en":
        return bool(names(question, lang))
    first = next(iter(tagger().cut(question)))
    return not str(first.flag).startswith("v")


def _placed(unit: Evidence, chunk: Span) -> Evidence:
    """Evidence in a chunk as evidence in its document."""
    at = chunk.start or 0
    return replace(unit, start=(unit.start or 0) + at, end=(unit.end or 0) + at)


def measure_qra(
    corpus_id: int, retrieval: Retrieval, fingerprint: str, graph_id: int, qra: Qra
) -> tuple[float, float]:
    """RD and GD of a QRA among the chunks that name an entity of question or answer."""
    source = Similarities(corpus_id, retrieval, fingerprint)
    graph = entity_graph(graph_id)
    candidates = graph.candidates(entities_of(qra, graph))
    similar = source.of(qra.question)
    found = turn_difficulty(0, 0, qra.key_sentences, similar, source.places, candidates)
    if found.rd is None or found.gd is None:
        raise ValueError("a QRA that was checked has golden references")
    return found.rd, found.gd
