"""A conflict for the screen: the keys that rule on it, and each rater's label or version."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from engine.labelling.forms.rules import value_keys
from engine.text.wrapping import pad
from store.datasets import datasets
from store.labels.consensus import Settled
from store.labels.forms import NA, Field, same
from store.records import ItemContent
from tui.correction.revision_diff import DiffBase, Name, names
from tui.language import local_name, tr
from tui.screens.labels import value_text
from tui.widgets.line import Piece

OPTIONS = 5
"""Raters that are shown of one conflict."""

NAME = 8
"""Cells for `rater 1`."""

NOT_YOURS = tr("you have labelled it: a third person rules")

Notes = Mapping[tuple[str, str], str]
"""Comments by rater and field; those on the whole subject have the field ''."""


def conflict_lines(
    conflict: Settled, field: Field, notes: Notes, *, is_for_others: bool = False
) -> list[list[Piece]]:
    """The field with its keys, then a line a rater. No key rules where it `is_for_others`."""
    keys = [(NOT_YOURS, "warn")] if is_for_others else _keys(field, conflict)
    lines: list[list[Piece]] = [[(f"{local_name(field)}  ", "strong"), *keys]]
    for number, given in enumerate(conflict.raters[:OPTIONS], 1):
        text = (
            tr("version {number}", number=number)
            if field.kind == "revision"
            else value_text(field, given.value)
        )
        note = notes.get((given.rater, field.key)) or notes.get((given.rater, ""), "")
        lines.append(
            [
                (pad(tr("rater {number}", number=number), NAME), ""),
                (f" {text}", "key"),
                (f"   {note}", "muted"),
            ]
        )
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


def _keys(field: Field, conflict: Settled) -> list[Piece]:
    """The keys that rule, a piece each."""
    if field.kind == "revision":
        keys = f"1-{versions_shown(conflict)}"
        text = tr("{keys} chooses a version   e writes another   d compares them", keys=keys)
        return [(text, "muted")]
    pieces: list[Piece] = [(tr("your ruling:"), "muted")]
    for key, name in _names(field):
        pieces += [("  ", ""), (key, "key"), (f" {name}", "muted")]
    return pieces


def _names(field: Field) -> list[tuple[str, str]]:
    """Each key of the field's values, with what it says."""
    keys = []
    for key, value in value_keys(field).items():
        name = value_text(field, value).partition(" ")[2] or str(value)
        if same(value, NA):
            name = tr("n/a")
        keys.append((key, name))
    return keys


class Versions(NamedTuple):
    before: ItemContent
    """The text that was shown to them."""
    texts: tuple[ItemContent, ...]
    """What each rater made of it."""
    name: Name
    """What topics, tasks and documents are called."""

    def bases(self) -> list[DiffBase]:
        """What the last rater's version can be compared with."""
        last = len(self.texts)
        return [
            DiffBase(tr("version {last} against version {number}", last=last, number=number), text)
            for number, text in enumerate(self.texts[:-1], 1)
        ]


def read_versions(db: sqlite3.Connection, conflict: Settled) -> Versions:
    """The versions of a conflict over a text."""
    revisions = [int(str(given.value)) for given in conflict.raters]
    before = datasets.content(db, conflict.subject.numbers[0])
    texts = tuple(datasets.content(db, one) for one in revisions)
    name = names(db, revisions[0], [before, *texts])
    return Versions(before, texts, name)
