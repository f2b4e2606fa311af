"""Drafts that set what two English excerpts tell side by side, each side named by its own words.

Excerpts of annual reports rarely name their company. Their rows and headings still say what
they are of: total accrued liabilities, restricted stock units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.generate.offline import long_form, wording
from engine.generate.offline.facts import facts_of
from engine.generate.offline.material import Material, evidence_of
from engine.generate.offline.records import Fact, FactKind
from engine.generate.offline.subjects import subject_of
from store.records import ItemContent, Turn

_PLAIN = re.compile(r"[A-Za-z][A-Za-z ,-]+")
_LESS_TELLING_TEXT = """
total other from loss income consolidated note summary information component additional
"""
_LESS_TELLING = frozenset(_LESS_TELLING_TEXT.split())
_LEAST_WORDS = 3
_MOST_READ = 60
_MOST_ANSWER = 900


def build(material: Material) -> Iterator[ItemContent]:
    """Amounts of one time in two excerpts, then what each says under its heading."""
    if material.lang != "en":
        return
    yield from amounts(material)
    yield from headings(material)


def amounts(material: Material) -> Iterator[ItemContent]:
    """Which of two amounts of like things was larger at one time."""
    mine = [fact for fact in material.facts if _names_itself(fact)][:_MOST_READ]
    for partner in material.partners:
        used: set[str] = set()
        for theirs in [fact for fact in facts_of(partner) if _names_itself(fact)]:
            found = next((fact for fact in mine if _comparable(fact, theirs)), None)
            if found is None or found.label in used or theirs.label in used:
                continue
            used |= {found.label, theirs.label}
            yield material.item([_larger(material, found, theirs)], "comparison", hops=2)


def _names_itself(fact: Fact) -> bool:
    return (
        fact.table >= 0
        and fact.kind is FactKind.AMOUNT
        and fact.known.value > 0
        and _PLAIN.fullmatch(fact.label) is not None
        and len(fact.label.split()) >= _LEAST_WORDS
        and bool(wording.at_time(fact.period))
    )


def _comparable(a: Fact, b: Fact) -> bool:
    """Whether two amounts are of one time, and of different things of one sort."""
    words = [fact.label.lower().split() for fact in (a, b)]
    return (
        wording.at_time(a.period) == wording.at_time(b.period)
        and a.unit == b.unit != ""  # a cell's number lacks the scale that its table states
        and words[0][-1] == words[1][-1]
        and _are_akin(a.label, b.label)
        and a.known.value != b.known.value
    )


def _larger(material: Material, mine: Fact, theirs: Fact) -> Turn:
    a, b = sorted((mine, theirs), key=lambda fact: fact.label)
    more, less = (a, b) if a.known.value > b.known.value else (b, a)
    text = material.document.text
    names = {fact.label: wording.lowered(fact.label, text) for fact in (a, b)}
    time = wording.at_time(a.period)
    verb = "were" if wording.be(a.label, past=True) == "were" else "was"
    question = (
        f"Which {verb} higher {time}, {names[a.label]} or {names[b.label]}, "
        "and what were the two figures?"
    )
    high = wording.first_upper(names[more.label])
    full = (
        f"{high} {verb} higher {time}: {more.written}, against {less.written} for "
        f"{names[less.label]}."
    )
    short = f"{high}, {more.written} against {less.written}"
    return Turn(question, (full, short), evidence_of(mine, theirs))


def headings(material: Material) -> Iterator[ItemContent]:
    """What two excerpts say under headings that share a telling word."""
    own = long_form.on_heading(material.document)
    if own is None:
        return
    for partner in material.partners:
        theirs = long_form.on_heading(partner)
        heads = subject_of(material.document).heading, subject_of(partner).heading
        if theirs is None or not all(heads) or not _are_akin(*heads):
            continue
        if max(len(own[0]), len(theirs[0])) > _MOST_ANSWER:
            continue
        sides = sorted(
            (
                (wording.spoken(heads[0]), own[0], own[1]),
                (wording.spoken(heads[1]), theirs[0], theirs[1]),
            )
        )
        (a, first, _), (b, second, _) = sides
        question = f"What is reported on {a}, and how does it differ from what is reported on {b}?"
        answer = f"{wording.first_upper(a)}: {first} {wording.first_upper(b)}: {second}"
        turn = Turn(question, (answer,), (*own[1], *theirs[1]))
        yield material.item([turn], "two_headings", hops=2)


def _are_akin(a: str, b: str) -> bool:
    words = [
        {word.rstrip("s") for word in re.findall(r"[a-z]{4,}", head.lower())} - _LESS_TELLING
        for head in (a, b)
    ]
    return bool(words[0] & words[1]) and words[0] != words[1]
