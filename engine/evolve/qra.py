"""A question with its golden references and answer (QRA), and the checks that it has to pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from engine.difficulty.references import reference_of
from engine.graph.entity_graph import EntityGraph
from engine.graph.linking import folded
from store.records import Evidence, Facet, ItemContent, Lang, Span, Turn

ENTITY, DETAILS, STATEMENT = INITIAL = ("entity_query", "details_query", "statement_query")
"""The types of questions that are written from chunks: an entity is the answer; one aspect of an
entity; a summary or conclusion."""
OPERATIONS = (
    "query_insertion",
    "entity_judgement",
    "query_concatenation",
    "information_integration",
)
"""In the paper's order."""


class Qra(Struct, frozen=True):
    question: str
    answers: tuple[str, ...]
    """Forms of the golden answer, the first as it is shown."""
    key_sentences: tuple[Evidence, ...]
    lang: Lang
    kind: str
    """One of `INITIAL` or `OPERATIONS`."""
    keypoints: tuple[str, ...] = ()
    answer_kind: str = ""
    """What kind of thing the answer is, such as `amount` or `name`; empty for a longer answer."""

    @property
    def answer(self) -> str:
        return self.answers[0]

    def content(self, **facets: Facet) -> ItemContent:
        """The QRA as an item: key sentences are its evidence."""
        documents = len({unit.document_id for unit in self.key_sentences})
        turn = Turn(self.question, self.answers, self.key_sentences, keypoints=self.keypoints)
        return ItemContent(
            (turn,), task=self.kind, lang=self.lang, facets={"documents": documents, **facets}
        )


class Rejected(Struct, frozen=True):
    """The reason why there is no QRA."""

    reason: str


def golden(qra: Qra, places: Mapping[str, Sequence[Span]]) -> tuple[Span, ...]:
    """The golden references of a QRA: the chunks that its key sentences stand in, each once."""
    found = (reference_of(unit, places, {}) for unit in qra.key_sentences)
    return tuple(dict.fromkeys(chunk for chunk in found if chunk is not None))


def entities_of(qra: Qra, graph: EntityGraph) -> list[int]:
    """The entities that question or answer name."""
    return graph.named_in("\n".join((qra.question, qra.answer)))


def fault(qra: Qra, candidates: Sequence[Span], places: Mapping[str, Sequence[Span]]) -> str:
    """Why a QRA cannot be taken; empty where it can.

    Question and answer are there, there are key sentences, each stands in a golden reference, all
    of these are candidates, and the answer of an entity query does not stand in it.
    """
    if not qra.question.strip() or not any(answer.strip() for answer in qra.answers):
        return "question or answer is missing"
    if not qra.key_sentences:
        return "no key sentence"
    references = golden(qra, places)
    if any(reference_of(unit, places, {}) is None for unit in qra.key_sentences):
        return "a key sentence stands in no chunk"
    if not set(references) <= set(candidates):
        return "a golden reference is no candidate"
    if qra.kind == ENTITY and folded(qra.answer) in folded(qra.question):
        return f"the question names its answer: {qra.answer}"
    return ""


def child_fault(child: Qra, parents: Sequence[Qra], places: Mapping[str, Sequence[Span]]) -> str:
    """Why a child of an operation cannot be taken; empty where it can.

    Beside what holds of every QRA: it needs more than one golden reference, asks something that no
    parent asks, and a judgement names neither answer.
    """
    allowed = [chunk for parent in parents for chunk in golden(parent, places)]
    if found := fault(child, allowed, places):
        return found
    if len(golden(child, places)) < 2:
        return "one golden reference is enough to answer it"
    if folded(child.question) in {folded(parent.question) for parent in parents}:
        return "it asks what a parent asks"
    if child.kind == "entity_judgement":
        for parent in parents:
            if parent.answer_kind and folded(parent.answer) in folded(child.question):
                return f"the question names an answer: {parent.answer}"
    return ""
