"""A form as lines: its fields with their legal values, what is chosen, and where the cursor is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.labelling.forms import value_keys
from engine.text.wrapping import cell_width, pad, truncate
from store.labels.forms import NA, Field, Form, Value, same
from tui.language import local_name, tr
from tui.shell.theme import SIGNS
from tui.widgets.line import Piece

GAP = "   "


class FormState(NamedTuple):
    """What a form's lines are made of."""

    values: Mapping[str, Value] = {}
    not_applicable: frozenset[str] = frozenset()
    focus: str = ""
    unsaved: tuple[str, Value] | None = None
    """A value that was typed and is not on the disk."""
    notes: Mapping[str, str] = {}
    """Comments on single fields."""


def is_check(form: Form, field: Field) -> bool:
    """Whether a field is a mark that a key of its own turns: failed, passed, empty."""
    return (
        bool(field.shortcut)
        and field.kind == "choice"
        and [choice.value for choice in field.choices] == [0, 1]
        and all(requirement.field != field.key for requirement in form.complete)
    )


def checks(form: Form) -> tuple[Field, ...]:
    return tuple(field for field in form.fields if is_check(form, field))


def walked(form: Form) -> tuple[Field, ...]:
    """The fields that the cursor goes through, whose values are given by a key."""
    return tuple(
        field
        for field in form.fields
        if field.kind in ("scale", "choice") and not is_check(form, field)
    )


def next_check(value: Value | None) -> int | None:
    """What a check's key makes of it: defects are what is marked, so it fails first."""
    if value is None:
        return 0
    return 1 if same(value, 0) else None


def check_lines(
    fields: Sequence[Field], shown: FormState, keys: Mapping[str, str], width: int
) -> list[list[Piece]]:
    """The checks side by side, as many a line as fit. Each takes the same room in every state."""
    lines: list[list[Piece]] = []
    room = 0
    for field in fields:
        pieces = _check(field, shown, keys.get(field.key, field.shortcut))
        taken = sum(cell_width(text) for text, _ in pieces) + len(GAP)
        if taken > room:
            lines.append([])
            room = width
        lines[-1] += [*pieces, (GAP, "")]
        room -= taken
    return lines


def _check(field: Field, shown: FormState, key: str) -> list[Piece]:
    value, role = _standing(field, shown)
    sign, colour = " ", ""
    if value is not None:
        sign, colour = (SIGNS.good, "good") if same(value, 1) else (SIGNS.bad, "bad")
    return [(key, "key"), (f" {local_name(field)} ", ""), (sign, f"{colour} {role}".strip())]


def field_line(field: Field, shown: FormState, label: int, width: int) -> list[Piece]:
    """One field: its name in `label` cells, then its values; words give way where room lacks."""
    here = shown.focus == field.key
    sign = f"{SIGNS.cursor} " if here else "  "
    start: list[Piece] = [
        (sign, ""),
        # the sign alone says where the cursor is: names in bold would be written twice a key
        (pad(local_name(field), label) + "  ", ""),
    ]
    if field.key in shown.not_applicable:
        return [*start, (tr("is not asked here"), "")]
    value, role = _standing(field, shown)
    room = width - 2 - label - 2
    keys = tuple(value_keys(field))
    # where room lacks, the words at both ends say what the rest lies between
    for worded in (keys, (keys[0], keys[-1]), ()):
        pieces = _choices(field, value, role, worded)
        taken = sum(cell_width(text) for text, _ in pieces)
        if taken <= room:
            break
    note = shown.notes.get(field.key, "")
    if note:
        pieces.append((f"; {truncate(note, max(room - taken - 2, 0))}", "muted"))
    return [*start, *pieces]


def _standing(field: Field, shown: FormState) -> tuple[Value | None, str]:
    """The value, and the role that says whether it is saved."""
    if shown.unsaved is not None and shown.unsaved[0] == field.key:
        return shown.unsaved[1], "warn"
    return shown.values.get(field.key), ""


def _choices(field: Field, value: Value | None, role: str, worded: Collection[str]) -> list[Piece]:
    names = {choice.value: local_name(choice) for choice in field.choices}
    names[NA] = tr("n/a")
    pieces: list[Piece] = []
    for key, choice in value_keys(field).items():
        chosen = value is not None and same(value, choice)
        # the sign tells what is chosen: any style beside it would be written, and taken back for
        # the next subject, field by field
        marker = "!" if chosen and role else SIGNS.good if chosen else " "
        pieces += [
            (key, f"strong {role}".strip() if chosen else "strong"),
            (f" {names[choice]}" if key in worded else "", ""),
            (f"{marker} ", role if chosen else ""),
        ]
    return pieces


def clicked_key(line: Sequence[Piece], x: int, keys: Sequence[str]) -> str:
    """The key at cell `x` of a line of checks or values: the last of `keys` that stands as a piece
    of its own at or before it; empty before the first."""
    end, at = 0, ""
    for text, role in line:
        if end > x:
            break
        end += cell_width(text)
        if text in keys and role:
            at = text
    return at


def legal_text(field: Field) -> str:
    """Which keys a field takes, for someone who pressed another: `accuracy takes 0 1 2`."""
    keys = " ".join(value_keys(field))
    return f"{local_name(field)}: {keys}"


def label_width(fields: Iterable[Field]) -> int:
    return max((cell_width(local_name(field)) for field in fields), default=0)
