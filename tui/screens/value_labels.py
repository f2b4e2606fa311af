"""The names of the values of a form's fields."""

from __future__ import annotations

from engine.prompts.languages import by_lang, name_in
from store.labels.forms import NA, Field, Value, same


def na_text(lang: str) -> str:
    """Returns the name of the value `-` (not applicable)."""
    return by_lang(lang, "不适用", "n/a")


def value_text(field: Field, value: Value | None, lang: str) -> str:
    """Formats a value: `4 good`, `n/a`, or `nothing`."""
    if value is None:
        return "nothing"
    if same(value, NA):
        return na_text(lang)
    for choice in field.choices:
        if same(choice.value, value):
            return f"{choice.value} {name_in(lang, choice)}"
    return str(value)
