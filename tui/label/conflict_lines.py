"""A conflict as lines: which keys rule on it, and what each rater gave."""

from __future__ import annotations

from collections.abc import Mapping

from engine.labelling.forms.keys import value_keys
from engine.prompts.languages import name_in
from engine.text.wrapping import pad
from store.labels.consensus import Settled
from store.labels.forms import NA, Field, same
from tui.screens.labels import na_text, value_text
from tui.widgets.line import Piece

OPTIONS = 5
"""Raters that are shown of one conflict."""

NAME = 12
"""Cells for a rater's name."""

NOT_YOURS = "you have labelled it: a third person rules"

Notes = Mapping[tuple[str, str], str]
"""Comments by rater and field; those on the whole subject have the field ''."""


def conflict_lines(
    conflict: Settled, field: Field, notes: Notes, lang: str, *, is_for_others: bool = False
) -> list[list[Piece]]:
    """The field with its keys, then a line a rater. No key rules where it `is_for_others`."""
    keys = (NOT_YOURS, "warn") if is_for_others else (_keys_text(field, conflict, lang), "muted")
    lines: list[list[Piece]] = [[(f"{name_in(lang, field)}  ", "strong"), keys]]
    for number, given in enumerate(conflict.raters[:OPTIONS], 1):
        text = (
            f"version {number}"
            if field.kind == "revision"
            else value_text(field, given.value, lang)
        )
        note = notes.get((given.rater, field.key)) or notes.get((given.rater, ""), "")
        lines.append([(pad(given.rater, NAME), ""), (f" {text}", "key"), (f"   {note}", "muted")])
    return lines


def versions_shown(conflict: Settled) -> int:
    """How many versions of a text can be chosen."""
    return min(len(conflict.raters), OPTIONS)


def version_chosen(conflict: Settled, character: str) -> object | None:
    """The revision of the rater with that number; None for what is no number of one."""
    number = int(character) if character in "123456789" else 0
    if not 1 <= number <= versions_shown(conflict):
        return None
    return conflict.raters[number - 1].value


def _keys_text(field: Field, conflict: Settled, lang: str) -> str:
    if field.kind == "revision":
        keys = f"1-{versions_shown(conflict)}"
        return f"{keys} chooses a version   e writes another   d compares them"
    return f"your ruling:  {'  '.join(f'{key} {name}' for key, name in _names(field, lang))}"


def _names(field: Field, lang: str) -> list[tuple[str, str]]:
    """Each key of the field's values, with what it says."""
    names = []
    for key, value in value_keys(field).items():
        name = value_text(field, value, lang).partition(" ")[2] or str(value)
        if same(value, NA):
            name = na_text(lang)
        names.append((key, name))
    return names
