"""The pure rules that go with forms: which fields apply, which key gives which value, warnings."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from store.labels.forms import NA, Choice, Fact, Field, Form, SoftWarning, Value, holds
from store.records import ItemContent, Turn

NA_KEY = "-"


def key_of(choice: Choice) -> str:
    return choice.key or str(choice.value)


def value_keys(field: Field) -> dict[str, int | str]:
    """The keys of a field's values, in the order of its choices."""
    keys = {key_of(choice): choice.value for choice in field.choices}
    return {**keys, NA_KEY: NA} if field.na else keys


def focus_keys(form: Form) -> dict[str, str]:
    """The keys that lead to a field, to the field's key."""
    return {field.shortcut: field.key for field in form.fields if field.shortcut}


def value_of_key(field: Field, key: str) -> int | str | None:
    """The value that a typed character gives, full-width digits included; None for no value."""
    return value_keys(field).get(unicodedata.normalize("NFKC", key))


def turn_facts(turn: Turn, *, is_followup: bool) -> frozenset[Fact]:
    # imported on use: the grammars of numbers take long to compile, and a form is read without them
    from engine.text.numbers import numbers

    facts: set[Fact] = set()
    if turn.golden_answers:
        facts.add("golden_answer")
    if any(numbers(answer) for answer in turn.golden_answers):
        facts.add("golden_number")
    if any(unit.quote for unit in turn.evidence):
        facts.add("key_sentences")
    if turn.keypoints:
        facts.add("keypoints")
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
    return tuple(
        field.key
        for field in form.fields
        if not known.issuperset((*field.requires, *_ALSO_REQUIRED.get((form.key, field.key), ())))
    )


_ALSO_REQUIRED: dict[tuple[str, str], tuple[Fact, ...]] = {
    ("six_questions", "key_sentence_completeness"): ("key_sentences",),
    ("six_questions", "keypoint_relevancy"): ("keypoints",),
    ("six_questions", "keypoint_correctness"): ("keypoints",),
}
"""What fields of shipped forms require beside what the form says, whose text stays as it is."""


def warnings_for(form: Form, values: Mapping[str, Value]) -> tuple[SoftWarning, ...]:
    """The warnings whose conditions all hold, in the form's order."""
    given = dict(values)
    return tuple(
        warning
        for warning in form.warnings
        if all(holds(condition, given) for condition in warning.when)
    )
