"""Drafts that ask for several points of one table: how its rows moved, what a total is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from engine.generate.rules.calculations import year_of
from engine.generate.rules.facts import templates
from engine.generate.rules.facts.fact import Fact
from engine.generate.rules.material import Material, evidence_of
from store.records import ItemContent, Turn

_GROUP = 4
"""Rows that one question names."""
_LEAST_ROWS = 3
_MOST_GROUPS = 3
_MOST_PARTS = 7
_LEAST_TOLD = {"zh": 50, "en": 120}
"""Characters of an account."""
_ZH_COLUMN = re.compile(
    r"^(?!已).*(?:[率额值价量入润产费款数重]|比例|占比|时限|期限|天数|得分|规模|余额|标准|收入|成本)$"
)
"""A column with such a header says what is measured; another says of which case."""
_LONGEST_LABEL = {"zh": 24, "en": 60}
_BARE = re.compile(
    r"(?:sub)?total|net|other(?:, net)?|(?:beginning|ending|opening|closing) balances?"
    r"|合计|小计|总计|其他",
    re.IGNORECASE,
)
"""Labels that say nothing outside their table."""
_TOTAL = re.compile(r"^total |合计$|总额$|^total$", re.IGNORECASE)


def build(material: Material) -> Iterator[ItemContent]:
    """Drafts on the parts of totals, the moves of rows, and the cases in a column."""
    for turn in islice(_compositions(material), _MOST_GROUPS):
        yield material.item([turn], "composition")
    for turn in islice(_developments(material), _MOST_GROUPS):
        yield material.item([turn], "development")
    for turn in islice(_columns(material), _MOST_GROUPS):
        yield material.item([turn], "column")


def _developments(material: Material) -> Iterator[Turn]:
    """Turns on the moves of a few rows of one table from one year to the next."""
    tables: dict[int, dict[str, list[Fact]]] = {}
    for fact in material.facts:
        if fact.row and year_of(fact) and fact.number is not None and _is_named(fact):
            tables.setdefault(fact.table, {}).setdefault(fact.label, []).append(fact)
    for rows in tables.values():
        moved = [pair for facts in rows.values() if (pair := _last_two(facts)) is not None]
        common = [pair for pair in moved if _column(pair) == _column(moved[0])]
        for at in range(0, len(common), _GROUP):
            group = common[at : at + _GROUP]
            if len(group) >= _LEAST_ROWS and (turn := _development(material, group)) is not None:
                yield turn


def _column(move: tuple[Fact, Fact]) -> tuple[str, str, str]:
    """Times and scale of a row's two values; rows of one question have them in common."""
    early, late = move
    return early.period, late.period, early.unit


def _is_named(fact: Fact) -> bool:
    return (
        not _BARE.fullmatch(fact.label)
        and fact.label[-1] not in ",;:("
        and len(fact.label) <= _LONGEST_LABEL[fact.lang]
        and fact.known.value > 0
    )


def _last_two(facts: Sequence[Fact]) -> tuple[Fact, Fact] | None:
    """The values of a row in its last year and the one before; None where either is unclear."""
    by_year: dict[int, list[Fact]] = {}
    for fact in facts:
        by_year.setdefault(year_of(fact) or 0, []).append(fact)
    if len(by_year) < 2 or any(len(of_year) > 1 for of_year in by_year.values()):
        return None
    early, late = (by_year[year][0] for year in sorted(by_year)[-2:])
    return (early, late) if early.value_key == late.value_key else None


def _development(material: Material, group: Sequence[tuple[Fact, Fact]]) -> Turn | None:
    early, late = group[0]
    if material.lang == "zh":
        name = material.subject.name
        if not name:
            return None
        labels = templates.listed([pair[0].label for pair in group], "zh")
        question = f"{name}中，{labels}从{early.period}到{late.period}有哪些变化？"
        moves = [_moved_zh(*pair) for pair in group]
    else:
        times = [templates.bare_time(fact.period) for fact in group[0]]
        if not all(times):
            return None
        text = material.document.text
        labels = templates.listed([templates.lowered(pair[0].label, text) for pair in group], "en")
        about = templates.about_en(material.subject, labels)
        asks = f"how did {labels} change from {times[0]} to {times[1]}?"
        question = templates.first_upper(f"{about}{asks}")
        moves = [_moved_en(*pair) for pair in group]
    answer = ("" if material.lang == "zh" else " ").join(moves)
    return Turn(question, (answer,), evidence_of(*(fact for pair in group for fact in pair)))


def _moved_zh(early: Fact, late: Fact) -> str:
    a, b = early.known.value, late.known.value
    if a == b:
        return f"{early.label}保持在{early.written}不变。"
    verb = "升至" if b > a else "降至"
    return f"{early.label}由{early.period}的{early.written}{verb}{late.period}的{late.written}。"


def _moved_en(early: Fact, late: Fact) -> str:
    a, b = early.known.value, late.known.value
    name = templates.first_upper(early.label)
    if a == b:
        return f"{name} stayed at {early.written}."
    return f"{name} {'rose' if b > a else 'fell'} from {early.written} to {late.written}."


def _columns(material: Material) -> Iterator[Turn]:
    """Turns on one column of a table of cases, for a few rows that follow each other."""
    name = material.subject.name
    columns: dict[tuple[int, str], list[Fact]] = {}
    for fact in material.facts:
        if name and fact.row and fact.column and not fact.period and fact.number is not None:
            columns.setdefault((fact.table, fact.column), []).append(fact)
    for (_, column), facts in columns.items():
        cases = [fact for fact in facts if not fact.is_total and column not in fact.label]
        is_measure = _ZH_COLUMN.search(column) if material.lang == "zh" else None
        if not (is_measure or (material.lang == "en" and templates.is_measure(column))):
            continue
        for at in range(0, len(cases), _GROUP):
            group = cases[at : at + _GROUP]
            if len(group) >= _LEAST_ROWS and len({fact.row for fact in group}) == len(group):
                turn = _column_told(material, group, column)
                if len(turn.golden_answers[0]) >= _LEAST_TOLD[material.lang]:
                    yield turn


def _column_told(material: Material, group: Sequence[Fact], column: str) -> Turn:
    name = material.subject.name
    if material.lang == "zh":
        labels = templates.listed([fact.label for fact in group], "zh")
        question = f"{name}中，{labels}的{column}分别是多少？"
        answer = "".join(f"{fact.label}的{column}为{fact.written}。" for fact in group)
    else:
        text = material.document.text
        names = [templates.lowered(fact.label, text) for fact in group]
        measure = templates.lowered(column, text)
        question = (
            f"For {templates.with_article(name)}, what {templates.be(column)} the {measure} for"
            f" each of {templates.listed(names, 'en')}?"
        )
        answer = " ".join(
            f"For {label}, the {measure} {templates.be(column)} {fact.written}."
            for label, fact in zip(names, group, strict=True)
        )
    return Turn(question, (answer,), evidence_of(*group))


def _compositions(material: Material) -> Iterator[Turn]:
    """Turns on the parts of a total, where the rows above it add up to it."""
    columns: dict[tuple[int, str], list[Fact]] = {}
    for fact in material.facts:
        if fact.row and fact.number is not None:
            columns.setdefault((fact.table, fact.column), []).append(fact)
    asked: set[tuple[int, str]] = set()
    for (table, _), facts in columns.items():
        for at, total in enumerate(facts):
            if (table, total.row) in asked or not (total.is_total or _TOTAL.search(total.label)):
                continue
            parts = _parts(facts[:at], total)
            turn = _composition(material, parts, total) if parts else None
            if turn is not None:
                asked.add((table, total.row))
                yield turn


def _parts(above: Sequence[Fact], total: Fact) -> list[Fact]:
    """The rows right above a total that add up to it; empty where none do."""
    left = total.known.figure
    parts: list[Fact] = []
    for fact in reversed(above[-_MOST_PARTS:]):
        if fact.known.figure <= 0 or not _can_add(fact, total):
            return []
        parts.insert(0, fact)
        left -= fact.known.figure
        if left <= 0:
            break
    return parts if left == 0 and len(parts) >= _LEAST_ROWS else []


def _can_add(part: Fact, total: Fact) -> bool:
    """Returns whether both are of one scale and currency; most rows of a table show no sign."""
    a, b = part.known, total.known
    return part.unit == total.unit and (a.unit == b.unit or not (a.unit and b.unit))


def _composition(material: Material, parts: Sequence[Fact], total: Fact) -> Turn | None:
    if not _is_named(total):
        return None
    values = [f"{part.label}{part.written}" for part in parts]
    if material.lang == "zh":
        name = material.subject.name
        if not name:
            return None
        when = total.period or total.column
        question = f"{name}中，{when}的{total.label}由哪几项构成？各为多少？"
        answer = f"{total.label}为{total.written}。其中，{'，'.join(values)}。"
    else:
        time = templates.at_time(total.period)
        if not time:
            return None
        text = material.document.text
        named = templates.lowered(total.label, text)
        about = templates.about_en(material.subject, total.label)
        asks = f"which items made up {named} {time}, and how much was each?"
        question = templates.first_upper(f"{about}{asks}")
        items = [f"{templates.lowered(part.label, text)} ({part.written})" for part in parts]
        came = f"{templates.first_upper(named)} came to {total.written} {time}."
        answer = f"{came} The items: {templates.listed(items, 'en')}."
    return Turn(question, (answer,), evidence_of(*parts, total))
