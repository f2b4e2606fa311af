"""The material of a builder: one document with its facts, its partners, and a seeded draw."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

from msgspec import Struct

from engine.corpus.document import SourceDocument
from engine.generate.items import facets_of
from engine.generate.rules.fact import Fact, Subject
from engine.generate.rules.facts import facts_of
from engine.generate.rules.subjects import subject_of
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


def evidence_of(*facts: Fact) -> tuple[Evidence, ...]:
    """The evidence of several facts, each passage once, in order of documents and places."""
    return tuple(dict.fromkeys(passage for fact in facts for passage in fact.evidence))


def by_turns(*sources: Iterable[T]) -> Iterator[T]:
    """One member of each source, then another of each, until all are at their end."""
    for round_ in zip_longest(*sources):
        yield from (member for member in round_ if member is not None)
