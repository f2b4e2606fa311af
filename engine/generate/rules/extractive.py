"""Drafts that ask for one fact of one document."""

from __future__ import annotations

from collections.abc import Iterator

from engine.generate.rules.fact import Fact
from engine.generate.rules.material import Material
from store.records import ItemContent, Turn


def build(material: Material) -> Iterator[ItemContent]:
    """One item a fact, kinds and tables by turns, so that the first few differ."""
    for fact in varied(material):
        turn = Turn(fact.question, fact.answers, fact.evidence)
        yield material.item([turn], fact.kind.value)


def varied(material: Material) -> list[Fact]:
    """The facts in drawn order, the rarest kind of fact and of place first in every round."""
    groups: dict[tuple[str, bool], list[Fact]] = {}
    for fact in material.shuffled(material.facts):
        groups.setdefault((fact.kind.value, fact.table >= 0), []).append(fact)
    ordered = sorted(groups.items(), key=lambda group: (len(group[1]), group[0]))
    rounds = max((len(facts) for facts in groups.values()), default=0)
    return [facts[turn] for turn in range(rounds) for _, facts in ordered if turn < len(facts)]
