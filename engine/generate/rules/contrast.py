"""Drafts that set the same thing of two documents side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from engine.corpus.document import SourceDocument
from engine.generate.rules import figures_zh, news_zh
from engine.generate.rules.facts import templates
from engine.generate.rules.facts.fact import Fact, FactKind
from engine.generate.rules.facts.names import is_institution
from engine.generate.rules.facts.subjects import is_headed, subject_of
from engine.generate.rules.facts.surface import shared_tail
from engine.generate.rules.material import Material, by_turns, evidence_of, facts_of
from store.records import ItemContent, Turn

_MOST_FACTS = 60
_TIME = re.compile(
    r"(?:19|20)\d\d年?(?:上半年|下半年|第?[一二三四]季度|\d{1,2}月)?(?:末|底|初)?|期初|期末"
)
_SHARED_TAIL = 3
_NOUN_END = re.compile(r"(?:[率额值价量入润产费款数本限重]|价格|时间|时长|期限|规模)$")
_VAGUE_LABEL = re.compile(
    r"(?:其中|合计|总计|其他|金额|数量|同比|环比|较|增长|下降|占)$|^(?:other|total|net)$", re.I
)

Side = tuple[str, Fact]
"""A name, and the figure that is compared."""


def build(material: Material) -> Iterator[ItemContent]:
    """One item for each label that the document and a partner both give a value for, then what two
    reports tell of one matter."""
    for partner in material.partners:
        pairs = list(_pairs(material, partner))
        for mine, theirs in material.shuffled(pairs):
            turn = _compared(material, partner, mine, theirs)
            if turn is not None:
                yield material.item([turn], "comparison", steps=2)
    yield from by_turns(figures_zh.comparisons(material), news_zh.comparisons(material))


def _pairs(material: Material, partner: SourceDocument) -> Iterator[tuple[Fact, Fact]]:
    ours = [fact for fact in material.facts if fact.number is not None][:_MOST_FACTS]
    others = [fact for fact in facts_of(partner) if fact.number is not None][:_MOST_FACTS]
    used: set[str] = set()
    for mine, theirs in product(ours, others):
        if mine.label not in used and _same_measure(mine, theirs):
            used.add(mine.label)
            yield mine, theirs


def _same_measure(a: Fact, b: Fact) -> bool:
    if a.known.kind is not b.known.kind or a.known.unit != b.known.unit:
        return False
    if a.kind is FactKind.DATE or _VAGUE_LABEL.search(a.label) or a.unit[-1:] != b.unit[-1:]:
        return False
    if (a.table >= 0) != (b.table >= 0):
        return False
    if a.table >= 0:
        columns = _TIME.sub("", a.column), _TIME.sub("", b.column)
        return a.row == b.row and a.unit == b.unit and columns[0].split() == columns[1].split()
    is_of_one_time = a.period == b.period or not (a.period and b.period)
    return is_of_one_time and bool(shared_label(a, b))


def shared_label(a: Fact, b: Fact) -> str:
    """The common part of two facts' labels: all of it, or a Chinese noun at their end."""
    mine, theirs = _TIME.sub("", a.label).strip("，的 "), _TIME.sub("", b.label).strip("，的 ")
    if mine == theirs:
        is_plain = a.table >= 0 or a.lang == "en" or _NOUN_END.search(mine) is not None
        return mine if len(mine) >= 2 and is_plain else ""
    if a.lang != "zh" or a.kind is FactKind.COUNT:
        return ""
    tail = shared_tail(mine, theirs).lstrip("的")
    return tail if len(tail) >= _SHARED_TAIL and _NOUN_END.search(tail) else ""


def _compared(material: Material, partner: SourceDocument, mine: Fact, theirs: Fact) -> Turn | None:
    names = _names(material, partner, mine, theirs)
    if names is None or mine.written == theirs.written:
        return None
    # one order, so that a pair is one question from whichever side
    one, two = sorted(((names[0], mine), (names[1], theirs)), key=lambda side: side[0])
    higher, lower = (one, two) if one[1].known.value > two[1].known.value else (two, one)
    ask = _ask_zh if material.lang == "zh" else _ask_en
    asked = ask(material, one, two, higher, lower)
    if asked is None:
        return None
    question, answers = asked
    return Turn(question, answers, evidence_of(one[1], two[1]))


def _names(
    material: Material, partner: SourceDocument, mine: Fact, theirs: Fact
) -> tuple[str, str] | None:
    """The names of the two sides: the documents' subjects, or those of the clauses."""
    is_titled = bool(
        subject_of(partner).name and material.subject.name and is_headed(material.document)
    )
    if is_titled or mine.row:
        names = material.subject.name, subject_of(partner).name
    else:
        names = _own_name(mine, theirs), _own_name(theirs, mine)
    if not all(names) or names[0] == names[1] or names[0] in names[1] or names[1] in names[0]:
        return None
    return names


def _own_name(fact: Fact, other: Fact) -> str:
    """Subject and the part of the label before what both share: 商丘市 of 商丘市进出口总值."""
    label = fact.label
    if label == other.label and fact.subject:
        return fact.subject
    if fact.subject and fact.subject not in label:
        label = f"{fact.subject}{label}"
    shared = shared_label(fact, other)
    name = label[: len(label) - len(shared)].strip("的，") if label.endswith(shared) else ""
    return name if is_institution(name) and len(name) <= 16 else ""


def _ask_zh(
    material: Material, one: Side, two: Side, higher: Side, lower: Side
) -> tuple[str, tuple[str, ...]]:
    (name, mine), (other, theirs) = one, two
    label = mine.label if mine.row else shared_label(mine, theirs)
    if mine.row and mine.column and mine.column not in label and not mine.period:
        label = f"{label}的{mine.column}"
    word = {FactKind.DURATION: "长", FactKind.COUNT: "多"}.get(mine.kind, "高")
    when = mine.period if mine.period == theirs.period and not mine.row else ""
    question = f"{name}与{other}相比，{when}哪个的{label}更{word}？各是多少？"
    full = (
        f"{name}的{label}为{mine.written}，{other}的{label}为{theirs.written}，"
        f"{higher[0]}更{word}。"
    )
    short = f"{higher[0]}更{word}：{higher[1].written}，{lower[0]}为{lower[1].written}。"
    return question, (full, short)


def _ask_en(
    material: Material, one: Side, two: Side, higher: Side, lower: Side
) -> tuple[str, tuple[str, ...]] | None:
    text, mine = material.document.text, one[1]
    label = re.sub(r"^the ", "", templates.lowered(mine.label, text))
    if mine.row and mine.column and not templates.at_time(mine.period):
        if mine.period or mine.column.lower() in label.lower():
            return None
        measure = templates.lowered(mine.column, text)
        if templates.is_measure(mine.column):
            label = f"{measure} for {label}"
        elif templates.is_measure(mine.label):
            label = f"{label} ({measure})"
        else:
            return None
    called, other = (templates.with_article(name) for name, _ in (one, two))
    question = f"Which has the higher {label}, {called} or {other}, and what are the two figures?"
    first = templates.first_upper(templates.with_article(higher[0]))
    figure, against = higher[1].written, lower[1].written
    full = (
        f"{first} has the higher {label}: {figure}, "
        f"against {against} for {templates.with_article(lower[0])}."
    )
    return question, (full, f"{higher[0]}, {figure} against {against}")
