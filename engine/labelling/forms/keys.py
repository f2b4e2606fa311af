"""Which key gives which value: digits are values, and `-` is not applicable."""

from __future__ import annotations

import unicodedata

from store.labels.forms import NA, Choice, Field, Form

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
