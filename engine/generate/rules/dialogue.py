"""Drafts of conversations: a full question, then turns that leave out what is already said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.corpus.document import SourceDocument
from engine.generate.rules import news_zh, views_zh
from engine.generate.rules.calculations import year_of
from engine.generate.rules.contrast import shared_label
from engine.generate.rules.facts import templates
from engine.generate.rules.facts.fact import Fact, FactKind
from engine.generate.rules.facts.subjects import subject_of, title_of
from engine.generate.rules.facts.surface import difference, forms_of
from engine.generate.rules.material import Material, by_turns, evidence_of, facts_of
from store.records import ItemContent, Turn

_LONGEST_LABEL = {"zh": 22, "en": 60}
_STANDS_ALONE = re.compile(r"^[其该这那它]|[，。；]")


def build(material: Material) -> Iterator[ItemContent]:
    """Dialogues along a table row, across two documents, and from clause to clause."""
    for turns in by_turns(
        _along_rows(material),
        _across_documents(material),
        _along_clauses(material),
        news_zh.dialogues(material),
        views_zh.dialogues(material),
    ):
        if len(turns) >= 2 and len({turn.golden_answers[:1] for turn in turns}) == len(turns):
            yield material.item(turns, "ellipsis", steps=1)


def _along_rows(material: Material) -> Iterator[list[Turn]]:
    """A value, the same for another column, the change between them, another row."""
    rows: dict[tuple[int, str], list[Fact]] = {}
    for fact in material.facts:
        if fact.row and fact.number is not None:
            rows.setdefault((fact.table, fact.row), []).append(fact)
    listed = list(rows.values())
    for facts in material.shuffled([facts for facts in listed if len(facts) >= 2]):
        first, second = material.shuffled(facts)[:2]
        turns = [_full(first), _other_column(first, second)]
        change = _change_between(first, second)
        if change is not None:
            turns.append(change)
        row = _other_row(material, second)
        if row is not None and len(turns) < 4:
            turns.append(row)
        yield [turn for turn in turns if turn is not None]


def _full(fact: Fact) -> Turn:
    return Turn(fact.question, fact.answers, fact.evidence)


def _other_column(first: Fact, second: Fact) -> Turn | None:
    if first.lang == "zh":
        asks = second.period if second.period and first.period else second.column
        question = f"那{asks}呢？" if second.period and first.period else f"它的{asks}呢？"
    elif second.period and first.period:
        time = templates.at_time(second.period)
        question = f"And {time}?" if time else ""
    else:
        question = f"And what about the {second.column[:1].lower()}{second.column[1:]}?"
    if not question or not (second.period or second.column):
        return None
    return Turn(question, second.answers, second.evidence)


def _change_between(first: Fact, second: Fact) -> Turn | None:
    a, b = year_of(first), year_of(second)
    if not a or not b or a == b or first.value_key != second.value_key:
        return None
    early, late = (first, second) if a < b else (second, first)
    if early.number is None or late.number is None or early.number.value == late.number.value:
        return None
    rises = late.number.value > early.number.value
    if first.lang == "zh":
        question = f"这两个时点之间{'增加' if rises else '减少'}了多少？"
    else:
        question = f"By how much did it {'increase' if rises else 'decrease'} between the two?"
    answers = forms_of(difference(late, early), first.lang)
    return Turn(question, answers, evidence_of(early, late))


def _other_row(material: Material, last: Fact) -> Turn | None:
    """The same column of another row, asked for by the row's label alone."""
    others = [
        fact
        for fact in material.facts
        if fact.table == last.table and fact.column == last.column and fact.row != last.row
    ]
    if not others:
        return None
    fact = material.draw.choice(others)
    time = fact.period if fact.lang == "zh" else templates.at_time(fact.period)
    if fact.lang == "zh":
        question = f"那么{time}的{fact.label}呢？" if time else f"那么{fact.label}呢？"
    else:
        named = templates.lowered(fact.label, material.document.text)
        question = f"What about {named}{' ' + time if time else ''}?"
    return Turn(question, fact.answers, fact.evidence)


def _across_documents(material: Material) -> Iterator[list[Turn]]:
    """A fact, another of the same document, then the first one for the partner's subject."""
    for partner in material.partners:
        other = subject_of(partner).name
        if not other or not title_of(partner) or other == material.subject.name:
            continue
        for mine, theirs in material.shuffled(_alike(material, partner)):
            turns = [_full(mine)]
            between = _next_fact(material, [mine])
            if between is not None:
                turns.append(between)
            named = other if material.lang == "zh" else templates.with_article(other)
            label = "" if between is None else _short_label(mine)
            if material.lang == "zh":
                question = f"那么{named}的{label}呢？" if label else f"那么{named}呢？"
            else:
                tail = f", as to {label}" if label else ""
                question = f"And for {named}{tail}?"
            turns.append(Turn(question, theirs.answers, theirs.evidence))
            yield turns


def _alike(material: Material, partner: SourceDocument) -> list[tuple[Fact, Fact]]:
    theirs = {(_key(fact)): fact for fact in reversed(facts_of(partner)) if fact.number}
    facts = []
    for fact in material.facts:
        match = theirs.get(_key(fact))
        if match is None and not fact.row:
            match = next(
                (
                    other
                    for other in theirs.values()
                    if not other.row
                    and fact.kind is other.kind
                    and shared_label(fact, other) == fact.label
                ),
                None,
            )
        if match is not None and fact.number is not None and match.written != fact.written:
            facts.append((fact, match))
    return facts


def _key(fact: Fact) -> tuple[str, str, str]:
    return fact.row, fact.column, fact.label


def _along_clauses(material: Material) -> Iterator[list[Turn]]:
    """Facts of sentences that stand near each other, the later ones by their label alone."""
    facts = [fact for fact in material.facts if not fact.row and _can_follow(fact)]
    if not title_of(material.document):
        facts = [fact for fact in facts if fact.subject]
    for first in material.shuffled(facts):
        turns = [_full(first)]
        asked = [first]
        while len(turns) < 4:
            following = _next_fact(material, asked)
            if following is None:
                break
            turns.append(following)
            asked.append(
                next(fact for fact in material.facts if fact.answers == following.golden_answers)
            )
        yield turns[: 2 + material.draw.randrange(3)]


def _next_fact(material: Material, asked: Sequence[Fact]) -> Turn | None:
    """The next fact of the document on the same subject, asked for without naming it."""
    last = asked[-1]
    answers = {fact.answers[0] for fact in asked}
    for fact in material.facts:
        if fact.start <= last.start or fact.answers[0] in answers or not _can_follow(fact):
            continue
        if fact.subject != last.subject or fact.row:
            continue
        question = _elliptic(fact)
        if question:
            return Turn(question, fact.answers, fact.evidence)
    return None


def _elliptic(fact: Fact) -> str:
    if fact.lang == "en":
        question = fact.question.replace("For ", "for ", 1)
        asked = re.sub(r"^for [^,]+, ", "", question)
        bare = asked.replace(f" of {templates.with_article(fact.subject)}", "")
        return "" if bare == question or not bare else f"And {bare[:1].lower()}{bare[1:]}"
    bare = re.sub(rf"^{re.escape(fact.subject)}(?:的|，|中，|规定，)?", "", fact.question)
    if not fact.subject or bare == fact.question:
        return ""
    return f"那么{bare}" if not bare.startswith("那") else bare


def _can_follow(fact: Fact) -> bool:
    label = _short_label(fact)
    return (
        2 <= len(label) <= _LONGEST_LABEL[fact.lang]
        and fact.kind is not FactKind.CONDITION
        and not _STANDS_ALONE.search(label)
    )


def _short_label(fact: Fact) -> str:
    return fact.label.strip("，的 ")
