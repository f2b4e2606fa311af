"""Drafts by rule for a task: the builders by name, and the one way to call them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from engine.corpus.document import SourceDocument
from engine.generate.articles import continuation_turn, halves
from engine.generate.drafts import Draft
from engine.generate.inspection.checks import check_item, score_of
from engine.generate.rules import calculations, contrast, dialogue, long_form
from engine.generate.rules.facts.fact import Fact
from engine.generate.rules.material import Material
from store.records import ItemContent, Task, Taxonomy, Topic, Turn

Builder = Callable[[Material], Iterator[ItemContent]]

DRAFTS_A_DOCUMENT = 10
"""Drafts of one task that a document gives in all. A generation takes a few in a first turn, the
others in a second, which comes only where the other documents did not fill the cell."""
_TRIED = 4
"""Items that a builder may make for each that is wanted: the rest of its list is left alone."""


def _ask_facts(material: Material) -> Iterator[ItemContent]:
    """One item a fact, kinds and tables by turns, so that the first few differ."""
    for fact in _varied(material):
        turn = Turn(fact.question, fact.answers, fact.evidence)
        yield material.item([turn], fact.kind.value)


def _varied(material: Material) -> list[Fact]:
    """The facts in drawn order, the rarest kind of fact and of place first in every round."""
    groups: dict[tuple[str, bool], list[Fact]] = {}
    for fact in material.shuffled(material.facts):
        groups.setdefault((fact.kind.value, fact.table >= 0), []).append(fact)
    ordered = sorted(groups.items(), key=lambda group: (len(group[1]), group[0]))
    rounds = max((len(facts) for facts in groups.values()), default=0)
    return [facts[turn] for turn in range(rounds) for _, facts in ordered if turn < len(facts)]


def _split_article(material: Material) -> Iterator[ItemContent]:
    """The second half of an article, given the first."""
    split = halves(material.document)
    if split is not None:
        yield material.item([continuation_turn(material.document, split)], "continuation")


_BUILDERS: dict[tuple[str, str], Builder] = {
    ("single_document", ""): _ask_facts,
    ("multi_hop", ""): calculations.build,
    ("document_pair", "contrast"): contrast.build,
    ("document_pair", "long_form"): long_form.build,
    ("dialogue", ""): dialogue.build,
    ("split_article", ""): _split_article,
    ("marked_spans", "extractive"): _ask_facts,
    ("marked_spans", "numerical"): calculations.build,
}
"""By the builder that a task's row names, and the task's key where one builder serves several."""


def builder_of(task: Task) -> Builder | None:
    """The builder of a task; None where no rule writes its items well enough: EKRAG's abstractive
    answers, summaries and questions without an answer; CRUD-RAG's questions over two and three
    documents, corrections and summaries."""
    return _BUILDERS.get((task.builder, task.key)) or _BUILDERS.get((task.builder, ""))


def draft(
    task: Task,
    documents: Sequence[SourceDocument],
    partners: Mapping[str, Sequence[SourceDocument]],
    seed: int,
    *,
    taxonomy: Taxonomy | None = None,
    most: int = DRAFTS_A_DOCUMENT,
) -> Iterator[Draft]:
    """Drafts of a task from each document in turn, at most `most` a document, best first.

    `partners` are the documents to set beside one, by its id. With a taxonomy the topic is checked
    too. Equal arguments give equal drafts, whatever other documents there are; the work for a
    document is bounded.
    """
    build = builder_of(task)
    if build is None:
        return
    topics = {topic.key: topic for topic in taxonomy.topics} if taxonomy else {}
    for document in documents:
        beside = tuple(
            partner
            for partner in partners.get(document.document_id, ())
            if partner.lang == document.lang
        )
        drawn = random.Random(f"{seed}:{task.key}:{document.document_id}")
        material = Material(task, document, beside, drawn)
        made = [
            _checked(content, task, (document, *beside), topics.get(document.topic))
            for content in islice(build(material), most * _TRIED)
        ]
        yield from sorted(_distinct(made), key=lambda checked: -checked.score)[:most]


def _checked(
    content: ItemContent, task: Task, documents: Sequence[SourceDocument], topic: Topic | None
) -> Draft:
    checks = check_item(content, task, documents, topic)
    return Draft(content, checks, score_of(checks))


def _distinct(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts without those whose first question came before."""
    seen: dict[str, Draft] = {}
    for made in drafts:
        seen.setdefault(made.content.turns[0].question, made)
    return list(seen.values())
