"""Drafts that set what two English excerpts tell side by side, each side named by its own words.

Excerpts of annual reports rarely name their company. Their rows and headings still say what
they are of: total accrued liabilities, restricted stock units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from engine.generate.rules import main_matter, wording
from engine.generate.rules.calculations import year_of
from engine.generate.rules.facts import facts_of
from engine.generate.rules.material import Material, evidence_of
from engine.generate.rules.records import Fact, FactKind
from engine.generate.rules.subjects import subject_of
from engine.generate.rules.surface import percent
from store.records import ItemContent, Turn

_PLAIN = re.compile(r"[A-Za-z][A-Za-z ,-]+")
_LESS_TELLING_TEXT = """
total other from loss income consolidated note summary information component additional
asset liabilitie liability net gross expense cost amount activitie charge end beginning ending
based related relating associated provided used paid including cash current prior period year
federal state statutory with under value acquisition position increase decrease change tax taxe
balance before after product service
"""
_LESS_TELLING = frozenset(_LESS_TELLING_TEXT.split())
_NO_SORT_TEXT = """
total other net loss income operations activities period year tax expense expenses cost costs
services benefits
"""
_NO_SORT = frozenset(_NO_SORT_TEXT.split())
"""Last words of labels that do not say what sort of thing is meant."""
_LEAST_SHARED = 0.3
"""Share of the telling words of the longer of two labels that the other has too."""
_LEAST_WORDS = 2
_STEP = re.compile(
    r"(?:divided|multiplied|plus|minus|less|add|adjusted for|as|per|of which|effect of)\b", re.I
)
"""Labels that begin so are steps of a calculation."""
_WRITTEN_OUT = 100_000
"""From here on a figure without a scale is one that is written out in full."""
_Move = tuple[Fact, Fact]
"""The values of one row in two years, the earlier first."""
_MOST_READ = 60
_MOST_ANSWER = 900


def build(material: Material) -> Iterator[ItemContent]:
    """Amounts of one time in two excerpts, how such amounts moved, and what each excerpt says under
    its heading, by turns."""
    if material.lang != "en":
        return
    for round_ in zip_longest(headings(material), amounts(material), changes(material)):
        yield from (content for content in round_ if content is not None)


def amounts(material: Material) -> Iterator[ItemContent]:
    """Which of two amounts of like things was larger at one time."""
    mine = [fact for fact in material.facts if _names_itself(fact)][:_MOST_READ]
    for partner in material.partners:
        used: set[str] = set()
        others = [fact for fact in facts_of(partner) if _names_itself(fact)]
        for theirs in others[:_MOST_READ]:
            found = next((fact for fact in mine if _comparable(fact, theirs)), None)
            if found is None or found.label in used or theirs.label in used:
                continue
            used |= {found.label, theirs.label}
            yield material.item([_larger(material, found, theirs)], "comparison", hops=2)


def _names_itself(fact: Fact) -> bool:
    """Whether a row of a table says in so many words what its amount is of, and its column when."""
    return (
        fact.table >= 0
        and fact.kind is FactKind.AMOUNT
        and fact.known.value > 0
        and _PLAIN.fullmatch(fact.label) is not None
        and len(fact.label.split()) >= _LEAST_WORDS
        and not _STEP.match(fact.label)
        and bool(wording.at_time(fact.period))
    )


def _comparable(a: Fact, b: Fact) -> bool:
    """Whether two amounts are of one time, and of different things of one sort."""
    words = [fact.label.lower().split() for fact in (a, b)]
    return (
        wording.at_time(a.period) == wording.at_time(b.period)
        and a.unit == b.unit != ""  # a cell's number lacks the scale that its table states
        and words[0][-1] == words[1][-1]
        and (words[0][-1] not in _NO_SORT or _are_akin(a.label, b.label))
        and not _is_part(a.label, b.label)
        and a.known.value != b.known.value
    )


def _larger(material: Material, mine: Fact, theirs: Fact) -> Turn:
    a, b = sorted((mine, theirs), key=lambda fact: fact.label)
    more, less = (a, b) if a.known.value > b.known.value else (b, a)
    text = material.document.text
    names = {fact.label: wording.lowered(fact.label, text) for fact in (a, b)}
    time = wording.at_time(a.period)
    question = (
        f"Which {wording.be(a.label, past=True)} higher {time}, {names[a.label]} or "
        f"{names[b.label]}, and what were the two figures?"
    )
    high = wording.first_upper(names[more.label])
    verb = wording.be(more.label, past=True)
    full = (
        f"{high} {verb} higher {time}: {more.written}, against {less.written} for "
        f"{names[less.label]}."
    )
    short = f"{high}, {more.written} against {less.written}"
    return Turn(question, (full, short), evidence_of(mine, theirs))


def changes(material: Material) -> Iterator[ItemContent]:
    """How two amounts of like things moved between the same two years, at which rates."""
    mine = _moves(material.facts)
    for partner in material.partners:
        used: set[str] = set()
        for theirs in _moves(facts_of(partner)):
            found = next((move for move in mine if _moved_alike(move, theirs)), None)
            if found is None or found[0].label in used or theirs[0].label in used:
                continue
            used |= {found[0].label, theirs[0].label}
            turn = _rates(material, *sorted((found, theirs), key=lambda move: move[0].label))
            yield material.item([turn], "change", hops=4)


def _moves(facts: Sequence[Fact]) -> list[_Move]:
    """The rows with a value for each of two years that follow each other."""
    rows: dict[tuple[int, str], dict[int, Fact]] = {}
    for fact in facts:
        year = year_of(fact)
        has_scale = bool(fact.unit) or fact.number is None or fact.known.value >= _WRITTEN_OUT
        if year is not None and has_scale and _names_itself(fact):
            rows.setdefault((fact.table, fact.label), {}).setdefault(year, fact)
    return [
        (row[year], row[year + 1])
        for row in rows.values()
        for year in row
        if year + 1 in row
        and row[year].value_key == row[year + 1].value_key
        and row[year].known.value != row[year + 1].known.value
    ][:_MOST_READ]


def _moved_alike(a: _Move, b: _Move) -> bool:
    times = [[wording.at_time(fact.period) for fact in move] for move in (a, b)]
    labels = a[0].label, b[0].label
    return times[0] == times[1] and not _is_part(*labels) and _are_akin(*labels)


def _rates(material: Material, a: _Move, b: _Move) -> Turn:
    text = material.document.text
    named = [wording.lowered(move[0].label, text) for move in (a, b)]
    times = [re.sub(r"^(?:in|at|for) ", "", wording.at_time(fact.period)) for fact in a]
    question = (
        f"How did the change in {named[0]} from {times[0]} to {times[1]} compare with that in "
        f"{named[1]}?"
    )
    first, second = (_rate(name, *move) for name, move in zip(named, (a, b), strict=True))
    answer = f"{wording.first_upper(first)}, whereas {second}."
    return Turn(question, (answer,), evidence_of(*a, *b))


def _rate(name: str, early: Fact, late: Fact) -> str:
    before, after = early.known.figure, late.known.figure
    verb = "rose" if after > before else "fell"
    by = percent(abs(after - before) / before)
    return f"{name} {verb} by {by}, from {early.written} to {late.written}"


def headings(material: Material) -> Iterator[ItemContent]:
    """What two excerpts say under headings that share a telling word."""
    own = next(iter(main_matter.accounts(material.document)), None)
    if own is None:
        return
    for partner in material.partners:
        theirs = next(iter(main_matter.accounts(partner)), None)
        heads = subject_of(material.document).heading, subject_of(partner).heading
        if theirs is None or not all(heads) or not _are_akin(*heads):
            continue
        if max(len(own.answer), len(theirs.answer)) > _MOST_ANSWER:
            continue
        sides = sorted(
            ((wording.spoken(heads[0]), own), (wording.spoken(heads[1]), theirs)),
            key=lambda side: side[0],
        )
        (a, first), (b, second) = sides
        question = f"What is reported on {a}, and how does it differ from what is reported on {b}?"
        answer = (
            f"{wording.first_upper(a)}: {first.answer} {wording.first_upper(b)}: {second.answer}"
        )
        turn = Turn(question, (answer,), (*own.evidence, *theirs.evidence))
        yield material.item([turn], "two_headings", hops=2)


def _is_part(a: str, b: str) -> bool:
    """Whether one label is a part of the other, so that both may name one thing."""
    one, two = a.lower(), b.lower()
    return one in two or two in one


def _are_akin(a: str, b: str) -> bool:
    words = [
        {word.rstrip("s") for word in re.findall(r"[a-z]{4,}", head.lower())} - _LESS_TELLING
        for head in (a, b)
    ]
    shared = len(words[0] & words[1])
    return words[0] != words[1] and shared >= _LEAST_SHARED * max(map(len, words)) > 0
