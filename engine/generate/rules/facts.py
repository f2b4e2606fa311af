"""All facts of a document, of its tables and its sentences, without doubtful ones."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from engine.corpus.document import SourceDocument
from engine.generate.rules import (
    company_zh,
    events_zh,
    facts_en,
    facts_table,
    facts_zh,
    statements_zh,
)
from engine.generate.rules.fact import Fact
from engine.generate.rules.subjects import subject_of


@lru_cache(maxsize=512)
def facts_of(document: SourceDocument) -> tuple[Fact, ...]:
    """The facts of a document in order of their place.

    Where one question has two different answers in the document, neither is a fact to ask for.
    """
    subject = subject_of(document)
    reader = facts_zh if document.lang == "zh" else facts_en
    known = company_zh.company_facts(document)
    places = {fact.start for fact in known}
    every = [
        *facts_table.table_facts(document, subject),
        *known,
        *(fact for fact in reader.sentence_facts(document, subject) if fact.start not in places),
        *events_zh.event_facts(document),
        *statements_zh.said_facts(document),
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
