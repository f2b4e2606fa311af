"""Drafts whose answer is calculated from two figures of one document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from engine.generate.rules import calculations_zh
from engine.generate.rules.facts import templates
from engine.generate.rules.facts.fact import Fact, FactKind
from engine.generate.rules.facts.subjects import title_of
from engine.generate.rules.facts.surface import (
    difference,
    forms_of,
    percent,
    shared_tail,
    unit_word,
)
from engine.generate.rules.material import Material, by_turns, evidence_of
from engine.generate.rules.vocabulary import any_of
from engine.text.numbers import Kind
from store.records import ItemContent, Turn

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SHARED_TAIL = 2
"""Characters that the labels of two Chinese figures share at their end: 申购份额, 赎回份额."""
_ZH_MEASURE = re.compile(
    "[率额值价量入润产费款数本限期间长度比份户重]$|" + any_of("zh", "measures of columns")
)
_ZH_NOUN_END = re.compile(
    r"(?:[率额值价量入润产费款数本限重]|[出进]口|价格|时间|时长|期限|规模|净差)$"
)
_MOST_PAIRS = 400
_COUNTABLE = frozenset({Kind.AMOUNT, Kind.PLAIN, Kind.PERCENT, Kind.DURATION})
_RATE = re.compile(r"率|比例|占比|%|percent|rate|margin|ratio|per ", re.IGNORECASE)


def build(material: Material) -> Iterator[ItemContent]:
    """Items whose answer is calculated, by turns."""
    yield from by_turns(
        over_time(material),
        side_by_side(material),
        shares(material),
        calculations_zh.build(material),
    )


def over_time(material: Material) -> Iterator[ItemContent]:
    """Change and rate of change of one row or label between two years."""
    rows: dict[tuple[int, str, str], list[Fact]] = {}
    for fact in material.facts:
        if fact.number is not None and year_of(fact) and fact.row:
            rows.setdefault((fact.table, fact.row, fact.value_key[1]), []).append(fact)
    for facts in material.shuffled(list(rows.values())):
        ordered = sorted(facts, key=lambda fact: year_of(fact) or 0)
        pairs = [
            (early, late)
            for early, late in combinations(ordered, 2)
            if year_of(early) != year_of(late) and _alike_columns(early, late)
        ]
        for early, late in material.shuffled(pairs)[:2]:
            turn = material.draw.choice((_change, _growth))(material, early, late)
            if turn is not None:
                kind = "growth" if turn.golden_answers[0].endswith("%") else "difference"
                yield material.item([turn], kind, steps=2)


def year_of(fact: Fact) -> int | None:
    """The one year that a fact's column names; None when it names none or several."""
    years = _YEAR.findall(fact.period)
    return int(years[-1]) if len(years) == 1 else None


def _alike_columns(a: Fact, b: Fact) -> bool:
    """Returns whether two columns differ in their year alone, so that both are of one measure."""
    return _YEAR.sub("", a.column).split() == _YEAR.sub("", b.column).split()


def _change(material: Material, early: Fact, late: Fact) -> Turn | None:
    if early.known.figure == late.known.figure:
        return None
    measure = "points" if early.known.kind is Kind.PERCENT else "amount"
    question = _ask_change(material, early, late, measure)
    answers = forms_of(difference(late, early), material.lang)
    return Turn(question, answers, evidence_of(early, late))


def _growth(material: Material, early: Fact, late: Fact) -> Turn | None:
    a, b = early.known, late.known
    if a.figure <= 0 or b.figure <= 0 or a.figure == b.figure:
        return None
    if a.kind is Kind.PERCENT or _RATE.search(early.label):
        return _change(material, early, late)
    growth = abs(b.figure - a.figure) / a.figure
    answers = forms_of(percent(growth), material.lang)
    return Turn(_ask_change(material, early, late, "percent"), answers, evidence_of(early, late))


def _ask_change(material: Material, early: Fact, late: Fact, measure: str) -> str:
    rises = late.known.value > early.known.value
    if material.lang == "zh":
        up, down, unit = {
            "points": ("提高", "下降", "多少个百分点"),
            "percent": ("增长", "下降", "百分之多少"),
        }.get(measure, ("增加", "减少", f"多少{early.unit}"))
        verb = up if rises else down
        head = f"{material.subject.name}中，" if material.subject.name else ""
        return f"{head}{late.period}的{late.label}比{early.period}{verb}了{unit}？"
    verb = "increase" if rises else "decrease"
    named = templates.lowered(late.label, material.document.text)
    about = templates.about_en(material.subject, late.label)
    times = f"from {_short_time(early)} to {_short_time(late)}"
    asks = {
        "points": f"by how many percentage points did {named} {verb} {times}?",
        "percent": f"by what percentage did {named} {verb} {times}?",
    }.get(measure, f"by how much did {named} {verb} {times}?")
    return templates.first_upper(f"{about}{asks}")


def _short_time(fact: Fact) -> str:
    return templates.bare_time(fact.period) or fact.period


def side_by_side(material: Material) -> Iterator[ItemContent]:
    """Drafts on the difference of two figures of one kind: two rows of a column, two like
    clauses."""
    has_title = bool(title_of(material.document))
    pairs = [
        (a, b)
        for a, b in combinations([fact for fact in material.facts if fact.number], 2)
        if _stand_together(a, b, has_title=has_title)
    ]
    for a, b in material.shuffled(pairs[:_MOST_PAIRS]):
        turn = _gap(material, a, b)
        if turn is not None:
            yield material.item([turn], "difference", steps=2)


def _stand_together(a: Fact, b: Fact, *, has_title: bool) -> bool:
    x, y = a.known, b.known
    if a.value_key != b.value_key or a.label == b.label:
        return False
    if x.kind not in _COUNTABLE or x.figure == y.figure or min(x.figure, y.figure) < 0:
        return False
    if a.is_total or b.is_total or a.period != b.period:
        return False
    if a.table >= 0 or b.table >= 0:
        return a.table == b.table and a.column == b.column and _rows_compare(a, b)
    return (
        a.lang == "zh"
        and a.kind is not FactKind.CONDITION
        and _SHARED_TAIL <= len(shared_tail(a.label, b.label)) < min(len(a.label), len(b.label))
        and a.subject == b.subject
        and (has_title or (a.evidence == b.evidence and a.period in a.label))
        and a.question[:2] == b.question[:2]
        and _ZH_NOUN_END.search(a.label) is not None
        and not re.search(r"[比较同环增减升降]", a.label + b.label)
    )


def _rows_compare(a: Fact, b: Fact) -> bool:
    """Returns whether two rows are cases of one measure: the column names it, or both labels end
    alike."""
    if a.lang == "zh":
        is_case = not a.period and _ZH_MEASURE.search(a.column) is not None
        return is_case or len(shared_tail(a.label, b.label)) >= _SHARED_TAIL
    last_words = [
        re.split(r",| of | for | from ", label)[0].split()[-1:] for label in (a.label, b.label)
    ]
    if a.period:
        return last_words[0] == last_words[1]
    return templates.is_measure(a.column)


def _gap(material: Material, a: Fact, b: Fact) -> Turn | None:
    more, less = (a, b) if a.known.value > b.known.value else (b, a)
    is_rate = a.known.kind is Kind.PERCENT
    if material.lang == "zh":
        word = "高" if is_rate else "长" if a.known.kind is Kind.DURATION else "多"
        unit = "多少个百分点" if is_rate else f"多少{unit_word(more)}"
        head = f"{material.subject.name}中，" if material.subject.name and more.row else ""
        left, right = _labels_zh(more, less)
        if more.subject and right.startswith(more.subject):
            right = right.removeprefix(more.subject)
        if not more.row and more.subject and more.subject not in left:
            head = f"{more.subject}，" if material.document.title else more.subject
        question = f"{head}{left}比{right}{word}{unit}？"
    else:
        question = _ask_gap_en(material, more, less, is_rate=is_rate)
    if not question:
        return None
    answers = forms_of(difference(more, less), material.lang)
    return Turn(question, answers, evidence_of(more, less))


def _labels_zh(more: Fact, less: Fact) -> tuple[str, str]:
    """Labels with their column; the column once where both would repeat it."""
    if more.row and more.column and more.column not in more.label:
        if more.period:
            return f"{more.period}的{more.label}", less.label
        joint = "" if more.column.startswith("占") else "的"
        return f"{more.label}{joint}{more.column}", less.label
    return more.label.replace("实现", ""), less.label.replace("实现", "")


def _ask_gap_en(material: Material, more: Fact, less: Fact, *, is_rate: bool) -> str:
    text = material.document.text
    left, right = templates.lowered(more.label, text), templates.lowered(less.label, text)
    about = templates.about_en(material.subject, f"{more.label} {less.label}")
    time = templates.at_time(more.period)
    points = "by how many percentage points" if is_rate else "by how much"
    if more.period:
        if not time:
            return ""
        asks = f"{points} did {left} exceed {right} {time}?"
    elif more.column and templates.is_measure(more.column) and material.subject.name:
        measure = templates.lowered(more.column, text)
        asks = f"{points} is the {measure} for {left} higher than for {right}?"
    else:
        return ""
    return templates.first_upper(f"{about}{asks}")


def shares(material: Material) -> Iterator[ItemContent]:
    """Drafts on the share of a row in its table's total in one column."""
    totals = {
        (fact.table, fact.column): fact
        for fact in material.facts
        if fact.is_total and fact.row and fact.number is not None
    }
    for fact in material.shuffled(material.facts):
        total = totals.get((fact.table, fact.column)) if fact.row else None
        if total is None or fact.is_total or not _is_part(fact, total):
            continue
        question = _ask_share(material, fact, total)
        if question:
            answer = percent(fact.known.figure / total.known.figure)
            turn = Turn(question, forms_of(answer, material.lang), evidence_of(fact, total))
            yield material.item([turn], "share", steps=2)


def _is_part(fact: Fact, total: Fact) -> bool:
    a, b = fact.number, total.number
    return (
        a is not None
        and b is not None
        and a.kind is not Kind.PERCENT
        and fact.value_key[1] == total.value_key[1]
        and 0 < a.figure < b.figure
        and fact.start < total.start
    )


def _ask_share(material: Material, fact: Fact, total: Fact) -> str:
    name = material.subject.name
    if material.lang == "zh":
        if not name:
            return ""
        whole = total.label if total.label not in ("合计", "总计", "共计") else "合计"
        column = f"的{fact.column}" if fact.column not in fact.label else ""
        return f"{name}中，{fact.label}{column}占{whole}的百分之多少？"
    text = material.document.text
    part, whole = templates.lowered(fact.label, text), templates.lowered(total.label, text)
    time = templates.at_time(fact.period)
    about = templates.about_en(material.subject, f"{fact.label} {total.label}")
    if not time:
        return ""
    return templates.first_upper(f"{about}what percentage of {whole} did {part} make up {time}?")
