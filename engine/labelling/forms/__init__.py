"""The forms that come with the program, and the pure rules that go with forms."""

from __future__ import annotations

from engine.labelling.forms.definitions import load_form, parse_form, shipped_forms
from engine.labelling.forms.own import find_form, usable_forms
from engine.labelling.forms.rules import (
    fields_not_applicable,
    focus_keys,
    prediction_facts,
    revision_facts,
    value_keys,
    warnings_for,
)

__all__ = [
    "fields_not_applicable",
    "find_form",
    "focus_keys",
    "load_form",
    "parse_form",
    "prediction_facts",
    "revision_facts",
    "shipped_forms",
    "usable_forms",
    "value_keys",
    "warnings_for",
]
