"""Drafts on all the figures that Chinese news gives of one company and time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.generate.rules.facts import patterns_zh as zh
from engine.generate.rules.facts.fact import Fact
from engine.generate.rules.facts.templates import listed
from engine.generate.rules.material import Material, evidence_of, facts_of
from engine.generate.rules.news.company import AT_ISSUE
from store.records import ItemContent, Turn

_LEAST = 3
"""Figures that make an account."""
_MOST = 8
_LEAST_ACCOUNT = 50
"""Characters of an account."""
_LEAST_SHARED = 2
_MOST_SHARED = 4
_CHANGE = re.compile(rf"{zh.ON_YEAR}$")
_YEAR = re.compile(r"20\d\d年")
_LONGEST_LABEL = 18

Group = tuple[Fact, ...]


def accounts(material: Material) -> Iterator[ItemContent]:
    """The figures of one company and time together."""
    if material.lang != "zh":
        return
    for (subject, period), facts in _groups(material.facts).items():
        if len(facts) < _LEAST:
            continue
        answer = _sentences(facts)
        if answer.count("。") < 2 or len(answer) < _LEAST_ACCOUNT:
            continue
        of = "发行" if period == AT_ISSUE else "经营"
        question = f"{subject}{period}的主要{of}数据有哪些？"
        yield material.item([Turn(question, (answer,), evidence_of(*facts))], "figures")


def comparisons(material: Material) -> Iterator[ItemContent]:
    """The figures that two companies both give for one time."""
    if material.lang != "zh":
        return
    own = _groups(material.facts)
    for partner in material.partners:
        for (other, period), theirs in _groups(facts_of(partner)).items():
            for (subject, when), mine in own.items():
                if when == period and subject != other:
                    turn = _compared(period, *sorted(((subject, mine), (other, theirs))))
                    if turn is not None:
                        yield material.item([turn], "figures", steps=4)


def _groups(facts: Sequence[Fact]) -> dict[tuple[str, str], Group]:
    """Figures from sentences by company and reporting period."""
    groups: dict[tuple[str, str], dict[str, Fact]] = {}
    for fact in facts:
        is_dated = _YEAR.match(fact.period) is not None or fact.period == AT_ISSUE
        is_plain = len(fact.label) <= _LONGEST_LABEL and fact.subject not in fact.label
        if fact.table < 0 and fact.number is not None and fact.subject and is_dated and is_plain:
            groups.setdefault((fact.subject, fact.period), {}).setdefault(fact.label, fact)
    return {key: tuple(rows.values())[:_MOST] for key, rows in groups.items()}


def _sentences(facts: Sequence[Fact]) -> str:
    """One sentence a measure, its change on the year with it."""
    by_measure: dict[str, str] = {}
    for fact in facts:
        change = _CHANGE.search(fact.label)
        measure = fact.label[: change.start()] if change else fact.label
        if change and measure in by_measure:
            by_measure[measure] += f"，{change.group()}{fact.written}"
        elif change:
            by_measure[measure] = f"{fact.label}{fact.written}"
        else:
            by_measure[measure] = f"{measure}为{fact.written}"
    return "".join(f"{part}。" for part in by_measure.values())


def _compared(period: str, a: tuple[str, Group], b: tuple[str, Group]) -> Turn | None:
    names = a[0], b[0]
    if names[0] in names[1] or names[1] in names[0]:
        return None
    theirs = {fact.label: fact for fact in b[1]}
    shared = [
        (fact, theirs[fact.label])
        for fact in a[1]
        if fact.label in theirs
        and not _CHANGE.search(fact.label)
        and fact.known.kind is theirs[fact.label].known.kind
    ][:_MOST_SHARED]
    if len(shared) < _LEAST_SHARED:
        return None
    labels = [pair[0].label for pair in shared]
    question = f"{names[0]}与{names[1]}{period}的{listed(labels, 'zh')}分别是多少，有何差异？"
    compared = [
        f"{pair[0].label}：{names[0]}为{pair[0].written}，{names[1]}为{pair[1].written}，"
        f"{names[0 if pair[0].known.value > pair[1].known.value else 1]}更高。"
        for pair in shared
        if pair[0].known.value != pair[1].known.value
    ]
    if len(compared) < len(shared):
        return None
    return Turn(
        question, ("".join(compared),), evidence_of(*(fact for pair in shared for fact in pair))
    )
