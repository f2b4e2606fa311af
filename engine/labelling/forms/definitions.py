"""Reading form definitions: the shipped ones are JSON files in `shipped/`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from engine.labelling.forms.rules import NA_KEY, key_of
from engine.prompts.shipped import read_shipped, shipped_keys
from store.errors import InputError
from store.labels.forms import NA, Condition, Field, Form, same

_PLACE = ("engine.labelling.forms", "shipped")


def shipped_forms() -> tuple[str, ...]:
    """Keys of the forms that come with the program, sorted."""
    return shipped_keys(*_PLACE)


@lru_cache(maxsize=16)
def load_form(key: str) -> Form:
    """The shipped form of that key. Raises NotFound naming those that exist."""
    return parse_form(read_shipped(*_PLACE, key, "form"), f"{key}.json")


def parse_form(data: bytes, name: str) -> Form:
    """The form that a JSON file holds, checked; `name` says which file in errors.

    Raises InputError for what is missing, unknown or of the wrong type, for fields, values and
    keys used twice, and for rules that name a field or value that the form does not have.
    """
    try:
        form = msgspec.json.decode(data, type=Form)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: {error}.", "Correct that field of the form.") from error
    for problem in problems(form):
        raise InputError(f"{name}: {problem}.", "Correct the form.")
    return form


def problems(form: Form) -> Iterator[str]:
    """What is wrong with a form, in words; nothing for a sound one."""
    if not form.key.strip() or not form.fields:
        yield "a form needs a key and a field"
    yield from _repeated("field", (field.key for field in form.fields))
    yield from _repeated("warning", (warning.key for warning in form.warnings))
    yield from _repeated("exclude reason", (str(one.value) for one in form.exclude_reasons))
    for field in form.fields:
        yield from _field_problems(field)
    yield from _repeated("shortcut", (field.shortcut for field in form.fields if field.shortcut))
    yield from _rule_problems(form)
    yield from _decision_problems(form)


def _field_problems(field: Field) -> Iterator[str]:
    name = f"field {field.key!r}"
    if not field.key.strip() or "/" in field.key:
        yield f"{name} needs a key without /"
    if not (field.zh.strip() and field.en.strip()):
        yield f"{name} needs a label in both languages"
    if bool(field.choices) != (field.kind in ("scale", "choice")):
        yield f"{name} is a {field.kind}: choices belong to a scale or choice, and it needs them"
    if field.kind == "scale" and any(type(one.value) is not int for one in field.choices):
        yield f"{name} is a scale: its values are whole numbers"
    if field.na and field.kind == "text":
        yield f"{name} is a text, which `na` could be"
    yield from _repeated(f"value of {name}", (str(choice.value) for choice in field.choices))
    for value in field.noted:
        if not _can_be(field, value):
            yield f"{name} wants a note with {value!r}, which it cannot be"
    keys = [key_of(choice) for choice in field.choices] + ([NA_KEY] if field.na else [])
    yield from _repeated(f"key of {name}", keys)
    for choice in field.choices:
        if len(key_of(choice)) != 1 or not choice.zh.strip() or not choice.en.strip():
            yield f"value {choice.value!r} of {name} needs one key and a label in both languages"
    if len(field.shortcut) > 1 or field.shortcut.isdigit():
        yield f"the shortcut of {name} is one character, and no digit"


def _rule_problems(form: Form) -> Iterator[str]:
    if not form.complete:
        yield "`complete` names no field, so that nothing would ever be done"
    keys = {field.key for field in form.fields}
    for requirement in form.complete:
        if requirement.field not in keys:
            yield f"`complete` names a field {requirement.field!r} that there is not"
        if requirement.when is not None:
            yield from _condition_problems(form, requirement.when)
    for warning in form.warnings:
        if not warning.when:
            yield f"warning {warning.key!r} has no condition"
        for condition in warning.when:
            yield from _condition_problems(form, condition)


def _condition_problems(form: Form, condition: Condition) -> Iterator[str]:
    field = next((field for field in form.fields if field.key == condition.field), None)
    if field is None:
        yield f"a condition names a field {condition.field!r} that there is not"
        return
    for value in condition.values:
        if not _can_be(field, value):
            yield f"a condition wants {condition.field} to be {value!r}, which it cannot be"


def _decision_problems(form: Form) -> Iterator[str]:
    decision = form.decision
    if decision is None:
        return
    if form.subject_kind != "revision":
        yield "only a form about revisions decides on items"
    values = (*decision.accept, *decision.discard, *decision.correct)
    yield from _condition_problems(form, Condition(decision.field, values))
    yield from _repeated("decided value", (str(value) for value in values))
    kinds = {field.key: field.kind for field in form.fields}
    if decision.correction and kinds.get(decision.correction) != "revision":
        yield f"the correction {decision.correction!r} is no field of kind revision"
    if decision.correct and not decision.correction:
        yield "values that ask for a correction need a field to hold it"


def _can_be(field: Field, value: int | str) -> bool:
    legal = [choice.value for choice in field.choices] + ([NA] if field.na else [])
    return any(same(one, value) for one in legal)


def _repeated(what: str, keys: Iterable[str]) -> Iterator[str]:
    for key, count in Counter(keys).items():
        if count > 1:
            yield f"{what} {key!r} stands there {count} times"
