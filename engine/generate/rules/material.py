"""The material of a builder: one document with all its facts, its partners, and a seeded draw."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import TypeVar

from msgspec import Struct

from engine.corpus.document import SourceDocument
from engine.generate.items import facets_of
from engine.generate.rules.facts import sentences_en, sentences_zh, tables
from engine.generate.rules.facts.fact import Fact, Subject
from engine.generate.rules.facts.subjects import subject_of
from engine.generate.rules.news import company, events, statements
from store.records import Evidence, Facet, ItemContent, Lang, Task, Turn

T = TypeVar("T")


class Material(Struct, frozen=True):
    task: Task
    document: SourceDocument
    partners: tuple[SourceDocument, ...]
    draw: random.Random
    """Seeded by seed, task and document, so that no draft depends on other documents' order."""

    @property
    def lang(self) -> Lang:
        return self.document.lang

    @property
    def subject(self) -> Subject:
        return subject_of(self.document)

    @property
    def facts(self) -> tuple[Fact, ...]:
        return facts_of(self.document)

    def shuffled(self, members: Sequence[T]) -> list[T]:
        """The members in drawn order."""
        drawn = list(members)
        self.draw.shuffle(drawn)
        return drawn

    def item(self, turns: Sequence[Turn], kind: str, steps: int = 1) -> ItemContent:
        """An item of the task on the document's topic, whose answer takes so many steps."""
        facets: dict[str, Facet] = {"kind": kind, "steps": steps, **facets_of(turns)}
        return ItemContent(
            tuple(turns),
            topic=self.document.topic,
            task=self.task.key,
            lang=self.lang,
            facets=facets,
        )


@lru_cache(maxsize=512)
def facts_of(document: SourceDocument) -> tuple[Fact, ...]:
    """The facts of a document in order of their place.

    Where one question has two different answers in the document, neither is a fact to ask for.
    """
    subject = subject_of(document)
    reader = sentences_zh if document.lang == "zh" else sentences_en
    known = company.company_facts(document)
    places = {fact.start for fact in known}
    every = [
        *tables.table_facts(document, subject),
        *known,
        *(fact for fact in reader.sentence_facts(document, subject) if fact.start not in places),
        *events.event_facts(document),
        *statements.said_facts(document),
    ]
    by_question: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in every:
        by_question[fact.question].append(fact)
    kept = [
        facts[0]
        for facts in by_question.values()
        if all(fact.answers[0] == facts[0].answers[0] for fact in facts)
    ]
    return tuple(sorted(kept, key=lambda fact: (fact.start, fact.question)))


def evidence_of(*facts: Fact) -> tuple[Evidence, ...]:
    """The evidence of several facts, each passage once, in order of documents and places."""
    return tuple(dict.fromkeys(passage for fact in facts for passage in fact.evidence))


def by_turns(*sources: Iterable[T]) -> Iterator[T]:
    """One member of each source, then another of each, until all are at their end."""
    for round_ in zip_longest(*sources):
        yield from (member for member in round_ if member is not None)
