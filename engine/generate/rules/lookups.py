"""Drafts that look up one thing by another: the largest row, also across two documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from engine.generate.records import SourceDocument
from engine.generate.rules import wording
from engine.generate.rules.facts import facts_of
from engine.generate.rules.material import Material, evidence_of
from engine.generate.rules.records import Fact
from engine.generate.rules.subjects import subject_of
from store.records import ItemContent, Turn

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def within_table(material: Material) -> Iterator[ItemContent]:
    """The row that is largest or smallest in one column, and its value in another."""
    tables: dict[int, dict[str, dict[str, Fact]]] = {}
    for fact in material.facts:
        if fact.row and not fact.is_total and fact.number is not None and not fact.period:
            columns = tables.setdefault(fact.table, {})
            columns.setdefault(fact.column, {}).setdefault(fact.row, fact)
    for columns in tables.values():
        names = [name for name, rows in columns.items() if len(rows) >= 3 and name]
        pairs = [(a, b) for a in names for b in names if a != b]
        for by, asked in material.shuffled(pairs)[:4]:
            turn = _look_up(material, columns[by], columns[asked])
            if turn is not None:
                yield material.item([turn], "lookup", hops=2)


def _look_up(material: Material, by: dict[str, Fact], asked: dict[str, Fact]) -> Turn | None:
    ranked = sorted(by.values(), key=lambda fact: (-_value(fact), fact.start))
    is_least = material.draw.random() < 0.3
    if is_least:
        ranked.reverse()
    best = ranked[0]
    target = asked.get(best.row)
    if (
        target is None
        or _value(ranked[1]) == _value(best)
        or len({f.value_key for f in ranked}) > 1
    ):
        return None
    name = material.subject.name
    if not name:
        return None
    if material.lang == "zh":
        extreme = "最低" if is_least else "最高"
        question = f"{name}中，{best.column}{extreme}的一项，其{target.column}是多少{target.unit}？"
    else:
        extreme = "lowest" if is_least else "highest"
        text = material.document.text
        if not (wording.is_measure(best.column) and wording.is_measure(target.column)):
            return None
        asks = wording.lowered(target.column, text)
        by_name = wording.lowered(best.column, text)
        question = (
            f"For {wording.with_article(name)}, what {wording.be(target.column)} the {asks} of the "
            f"entry with the {extreme} {by_name}?"
        )
    return Turn(question, target.answers, evidence_of(*ranked, target))


def _value(fact: Fact) -> Fraction:
    return fact.number.value if fact.number is not None else Fraction(0)


def across_documents(material: Material) -> Iterator[ItemContent]:
    """The row that is largest in this document, asked for in a partner's table of the same rows."""
    for partner in material.partners[:3]:
        yield from _chain(material, partner)


def _chain(material: Material, partner: SourceDocument) -> Iterator[ItemContent]:
    there = {
        (fact.row, _YEAR.sub("", fact.column)): fact
        for fact in facts_of(partner)
        if fact.row and not fact.is_total
    }
    here: dict[tuple[int, str], list[Fact]] = {}
    for fact in material.facts:
        if fact.row and not fact.is_total and fact.number is not None:
            here.setdefault((fact.table, fact.column), []).append(fact)
    name, other = material.subject.name, subject_of(partner).name
    if not name or not other or name == other:
        return
    for facts in material.shuffled(list(here.values())):
        ranked = sorted(facts, key=lambda fact: (-_value(fact), fact.start))
        if len(ranked) < 3 or _value(ranked[0]) == _value(ranked[1]):
            continue
        best = ranked[0]
        target = there.get((best.row, _YEAR.sub("", best.column)))
        if target is None or len({fact.value_key for fact in ranked}) > 1:
            continue
        question = _ask_chain(material, best, target, other)
        if question:
            turn = Turn(question, target.answers, evidence_of(*ranked, target))
            yield material.item([turn], "chain", hops=2)


def _ask_chain(material: Material, best: Fact, target: Fact, other: str) -> str:
    name = material.subject.name
    if material.lang == "zh":
        return (
            f"{name}中{best.column}最高的那一项，在{other}中的{target.column}是多少{target.unit}？"
        )
    text = material.document.text
    if best.period or not wording.is_measure(best.column):
        return ""
    by_name = wording.lowered(best.column, text)
    asked = wording.lowered(target.column, text)
    this, that = wording.with_article(name), wording.with_article(other)
    return (
        f"What is the {asked}, for {that}, of the entry that has the highest {by_name} for {this}?"
    )
