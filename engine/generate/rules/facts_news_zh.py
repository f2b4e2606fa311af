"""Facts from the events that Chinese news reports: when and where they were, who issued what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.corpus.document import SourceDocument
from engine.generate.rules.events_zh import Event, events_of
from engine.generate.rules.fact import Fact, FactKind
from store.records import Evidence

_MANY = re.compile(r"、|联合|共同|等部门")


def event_facts(document: SourceDocument) -> list[Fact]:
    """Facts on events: their time, their place, and the issuer of a title."""
    return [fact for event in events_of(document) for fact in facts_of_event(document, event)]


def facts_of_event(document: SourceDocument, event: Event) -> Iterator[Fact]:
    """The facts that one event gives."""
    if event.day:
        year = event.day[0][:5]
        question = f"{year}{event.clause}是在哪一天？"
        yield _fact(document, event, FactKind.DATE, question, event.day)
    if event.place:
        question = f"{event.when}{event.clause.replace(f'在{event.place}', '在哪里', 1)}？"
        yield _fact(document, event, FactKind.NAME, question, (event.place,))
    who, verb, thing = event.issuer
    if who:
        asks = "哪些部门或机构" if _MANY.search(who) else "哪个部门或机构"
        question = f"{event.when}{verb}的{thing}出自{asks}？"
        yield _fact(document, event, FactKind.NAME, question, (who,))


def _fact(
    document: SourceDocument,
    event: Event,
    kind: FactKind,
    question: str,
    answers: tuple[str, ...],
) -> Fact:
    start, end = event.account[0]
    quote = document.text[start:end]
    return Fact(
        document_id=document.document_id,
        lang="zh",
        kind=kind,
        label=event.clause,
        question=question,
        answers=answers,
        evidence=(Evidence(document.document_id, start, end, quote),),
        start=start,
        period=event.when,
        written=answers[0],
    )
