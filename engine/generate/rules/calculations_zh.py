"""Calculations that Chinese news invites: the figure of last year, growth, margins, debt ratios."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from engine.generate.rules.facts import patterns_zh as zh
from engine.generate.rules.facts.fact import Fact, FactKind
from engine.generate.rules.facts.surface import computed, difference, forms_of, percent
from engine.generate.rules.material import Material, evidence_of
from engine.generate.rules.vocabulary import word_list
from engine.text.numbers import Kind
from store.records import ItemContent, Turn

_ON_YEAR = re.compile(rf"(?P<of>.{{2,}}?){zh.ON_YEAR}$")
_FALLS = frozenset(word_list("zh", "falls"))
_YEAR = re.compile(r"(?:19|20)\d\d年")
_RATIOS = (
    (re.compile(r"净利润$"), re.compile(r"^(?:营业收入|(?:总)?(?:净)?营收|营业总收入|总收入)$")),
    (re.compile(r"^(?:负债总额|总负债)$"), re.compile(r"^(?:资产总额|总资产)$")),
    (re.compile(r"^贷款总额$"), re.compile(r"^(?:存款总额|资产总额|总资产)$")),
    (re.compile(r"^研发(?:投入|费用)$"), re.compile(r"^(?:营业收入|总?净?营收)$")),
    (re.compile(r"^发行费用(?:总额)?$"), re.compile(r"^募集资金总额$")),
)
"""Parts and wholes whose quotient has a meaning: profit of revenue, debt of assets."""


def build(material: Material) -> Iterator[ItemContent]:
    """Items whose answer is calculated from figures of Chinese sentences."""
    yield from between_years(material)
    yield from ratios(material)
    yield from year_before(material)


def year_before(material: Material) -> Iterator[ItemContent]:
    """Drafts on a figure of the year before, from the figure and its change on the year."""
    by_label = {
        (fact.label, fact.evidence): fact
        for fact in material.facts
        if fact.number is not None and fact.kind in (FactKind.AMOUNT, FactKind.COUNT)
    }
    for change in material.shuffled(material.facts):
        match = _ON_YEAR.match(change.label)
        if match is None or change.number is None:
            continue
        base = by_label.get((match["of"], change.evidence))
        if base is None or base.number is None or not base.unit:
            continue
        stem = re.split(r"(?:为|达|达到|是)?多少", base.question)[0].rstrip("约近共计")
        before = _before(base, change, is_fall=match["way"] in _FALLS)
        if before is None or not stem:
            continue
        by = "增速" if change.kind is FactKind.PERCENTAGE else "变动额"
        question = f"按同比{by}推算，{stem}的上年同期数约为多少{base.unit}？"
        answers = forms_of(computed(before, base.unit, "zh"), "zh")
        turn = Turn(question, answers, evidence_of(base, change))
        yield material.item([turn], "year_before", steps=2)


def _before(base: Fact, change: Fact, *, is_fall: bool) -> Fraction | None:
    """The figure before a change given in per cent or in its own unit; None where unclear."""
    sign = -1 if is_fall else 1
    by = change.known
    if change.kind is FactKind.PERCENTAGE and by.kind is Kind.PERCENT:
        rate = sign * abs(by.value)
        return base.known.figure / (1 + rate) if rate > -1 and base.known.value > 0 else None
    if change.value_key == base.value_key:
        return base.known.figure - sign * abs(by.figure)
    return None


def between_years(material: Material) -> Iterator[ItemContent]:
    """Change and rate of change of one measure of a company between two years."""
    rows: dict[tuple[str, str, tuple[str, str]], list[Fact]] = {}
    for fact in material.facts:
        if fact.table < 0 and fact.number is not None and fact.subject and _YEAR.match(fact.period):
            rows.setdefault((fact.subject, fact.label, fact.value_key), []).append(fact)
    for facts in rows.values():
        for a, b in combinations(sorted(facts, key=lambda fact: fact.period), 2):
            if a.lang == "zh" and _stand_a_year_apart(a, b) and a.known.value != b.known.value:
                yield from _changes(material, a, b)


def _stand_a_year_apart(a: Fact, b: Fact) -> bool:
    parts = [_YEAR.sub("", fact.period, count=1) for fact in (a, b)]
    is_alike = parts[0] == parts[1] or all(part.endswith("末") for part in parts)
    return int(b.period[:4]) - int(a.period[:4]) == 1 and is_alike


def _changes(material: Material, early: Fact, late: Fact) -> Iterator[ItemContent]:
    is_rate = early.known.kind is Kind.PERCENT
    verb = "增加" if late.known.value > early.known.value else "减少"
    unit = "多少个百分点" if is_rate else f"多少{late.unit}"
    head = f"{late.subject}{late.period}的{late.label}比{early.period}"
    answers = forms_of(difference(late, early), "zh")
    turn = Turn(f"{head}{verb}了{unit}？", answers, evidence_of(early, late))
    yield material.item([turn], "difference", steps=2)
    if is_rate or early.known.value <= 0 or late.known.value <= 0:
        return
    verb = "增长" if late.known.value > early.known.value else "下降"
    growth = abs(late.known.figure - early.known.figure) / early.known.figure
    answers = forms_of(percent(growth), "zh")
    turn = Turn(f"{head}{verb}了百分之多少？", answers, evidence_of(early, late))
    yield material.item([turn], "growth", steps=2)


def ratios(material: Material) -> Iterator[ItemContent]:
    """Drafts on the share of one figure of a company in another of the same time."""
    facts = [
        fact
        for fact in material.facts
        if fact.lang == "zh" and fact.table < 0 and fact.subject and fact.kind is FactKind.AMOUNT
    ]
    for part in material.shuffled(facts):
        for total in facts:
            is_pair = (part.subject, part.period) == (total.subject, total.period) and any(
                of_part.search(part.label) and of_total.search(total.label)
                for of_part, of_total in _RATIOS
            )
            a, b = part.known, total.known
            if not (is_pair and part.period and a.value > 0 and b.value > 0):
                continue
            answers = forms_of(percent(a.value / b.value), "zh")
            question = (
                (f"{part.subject}{part.period}的{part.label}相当于同期{total.label}的百分之多少？")
                .replace("上市时的", "上市时")
                .replace("同期募集", "募集")
            )
            turn = Turn(question, answers, evidence_of(part, total))
            yield material.item([turn], "ratio", steps=2)
