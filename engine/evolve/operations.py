"""The conditions of AutoEvolve's four operations (§3.4), and the one that a rule can carry out."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from engine.evolve.qra import Qra
from engine.graph.entity_graph import EntityGraph


class Step(Struct, frozen=True):
    """An operation that can be carried out on two QRAs."""

    operation: str
    first: Qra
    second: Qra
    entity: str
    """What both turn on; of a judgement the first answer."""


def applicable(qra: Qra, other: Qra, graph: EntityGraph) -> Iterator[Step]:
    """The operations whose condition two QRAs meet. An entity is met by any of its names.

    Insertion: e = a1 and e in q2, whichever of the two is the first. Judgement: both answers are
    of one kind. Concatenation: e in q1 and e in q2. Integration: e in a1 and e in a2.
    """
    for first, second in ((qra, other), (other, qra)):
        answer = graph.find(first.answer)
        if answer is not None and answer.id in graph.named_in(second.question):
            yield Step("query_insertion", first, second, answer.name)
    if qra.answer_kind and qra.answer_kind == other.answer_kind:
        yield Step("entity_judgement", qra, other, qra.answer)
    if shared := _shared(graph, qra.question, other.question):
        yield Step("query_concatenation", qra, other, shared)
    if not (qra.answer_kind or other.answer_kind) and (
        shared := _shared(graph, qra.answer, other.answer)
    ):
        yield Step("information_integration", qra, other, shared)


def _shared(graph: EntityGraph, first: str, second: str) -> str:
    """The rarest entity that two texts name; empty for none."""
    both = set(graph.named_in(first)) & set(graph.named_in(second))
    if not both:
        return ""
    rarest = max(both, key=lambda number: (graph.rarity(number), -number))
    return graph.entities[rarest].name


_JOINED = {"zh": "{first}，以及{second}", "en": "{first}, and {second}"}
_BOTH = {"zh": "前者是{first}；后者是{second}。", "en": "{first} and {second}, respectively."}


def concatenation_by_rule(step: Step) -> Qra:
    """Two questions as one, by a pattern; its key sentences are those of both.

    The other operations have to rewrite or to judge, which is a model's work: a judgement by a
    pattern compares what nobody would, and its answer is no nearly always.
    """
    first, second = step.first, step.second
    lang = first.lang
    rest = second.question
    if lang == "en" and rest.split(" ", 1)[0].istitle():
        rest = rest[0].lower() + rest[1:]
    answers = (qra.answer.rstrip("。.") for qra in (first, second))
    answer = _BOTH[lang].format(**dict(zip(("first", "second"), answers, strict=True)))
    return Qra(
        _JOINED[lang].format(first=first.question.rstrip("？?"), second=rest),
        (answer,),
        tuple(dict.fromkeys((*first.key_sentences, *second.key_sentences))),
        lang,
        step.operation,
        tuple(dict.fromkeys((*first.keypoints, *second.keypoints))),
    )
