"""Which fields apply to a subject, by what is known of it before anybody labels it."""

from __future__ import annotations

from collections.abc import Iterable

from engine.text.numbers import numbers
from store.labels.forms import Fact, Form
from store.records import ItemContent, Turn


def turn_facts(turn: Turn, *, is_followup: bool) -> frozenset[Fact]:
    facts: set[Fact] = set()
    if turn.golden_answers:
        facts.add("golden_answer")
    if any(numbers(answer) for answer in turn.golden_answers):
        facts.add("golden_number")
    if is_followup:
        facts.add("history")
    return frozenset(facts)


def prediction_facts(content: ItemContent, turn: int, *, has_retrieved: bool) -> frozenset[Fact]:
    """What is known of a prediction: its turn's golden answers and numbers, an earlier turn, and
    whether its system retrieves (`has_retrieved` is false for a closed-book one)."""
    known = turn_facts(content.turns[turn], is_followup=turn > 0)
    return known | {"retrieved"} if has_retrieved else known


def revision_facts(content: ItemContent) -> frozenset[Fact]:
    """What is known of an item: of any of its turns."""
    turns = [turn_facts(turn, is_followup=at > 0) for at, turn in enumerate(content.turns)]
    return frozenset[Fact]().union(*turns)


def fields_not_applicable(form: Form, facts: Iterable[Fact]) -> tuple[str, ...]:
    """Keys of the fields that are not asked, in the form's order."""
    known = frozenset(facts)
    return tuple(field.key for field in form.fields if not known.issuperset(field.requires))
