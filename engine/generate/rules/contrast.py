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
    if names[1] < names[0]:  # one order, so that a pair is one question from whichever side
        names, mine, theirs = names[::-1], theirs, mine
    higher, lower = (0, 1) if mine.known.value > theirs.known.value else (1, 0)
    make = _zh if material.lang == "zh" else _en
    made = make(material, mine, theirs, names, higher, lower)
    if made is None:
        return None
    question, answers = made
    return Turn(question, answers, evidence_of(mine, theirs))


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


def _zh(
    material: Material,
    mine: Fact,
    theirs: Fact,
    names: tuple[str, str],
    higher: int,
    lower: int,
) -> tuple[str, tuple[str, ...]] | None:
    label = mine.label if mine.row else shared_label(mine, theirs)
    if mine.row and mine.column and mine.column not in label and not mine.period:
        label = f"{label}的{mine.column}"
    word = {FactKind.DURATION: "长", FactKind.COUNT: "多"}.get(mine.kind, "高")
    values = (mine.written, theirs.written)
    when = mine.period if mine.period == theirs.period and not mine.row else ""
    about = f"{names[0]}与{names[1]}相比，{when}哪个的{label}更{word}？"
    question = f"{about}各是多少？"
    full = (
        f"{names[0]}的{label}为{values[0]}，{names[1]}的{label}为{values[1]}，"
        f"{names[higher]}更{word}。"
    )
    short = f"{names[higher]}更{word}：{values[higher]}，{names[lower]}为{values[lower]}。"
    return question, (full, short)


def _en(
    material: Material,
    mine: Fact,
    theirs: Fact,
    names: tuple[str, str],
    higher: int,
    lower: int,
) -> tuple[str, tuple[str, ...]] | None:
    text = material.document.text
    label = re.sub(r"^the ", "", templates.lowered(mine.label, text))
    called = [templates.with_article(name) for name in names]
    values = (mine.written, theirs.written)
    if mine.row and mine.column and not templates.at_time(mine.period):
        if mine.period or mine.column.lower() in label.lower():
            return None
        measure = templates.lowered(mine.column, text)
        if not (templates.is_measure(mine.column) or templates.is_measure(mine.label)):
            return None
        label = (
            f"{measure} for {label}"
            if templates.is_measure(mine.column)
            else f"{label} ({measure})"
        )
    question = (
        f"Which has the higher {label}, {called[0]} or {called[1]}, and what are the two figures?"
    )
    first = called[higher][0].upper() + called[higher][1:]
    full = (
        f"{first} has the higher {label}: {values[higher]}, "
        f"against {values[lower]} for {called[lower]}."
    )
    short = f"{names[higher]}, {values[higher]} against {values[lower]}"
    return question, (full, short)
