"""The lines of OmniEval's item files, tidied: as the authors' code does, or more carefully."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from engine.generate.omnieval import FIELDS, Item, clean, clean_conversations
from store.errors import InputError
from store.formats.omnieval import ItemTurn, item_turn

Variant = Literal["standard", "omnieval"]
Line = list[Item]
"""The turns of a line as they stand there; one of a single item."""


class TidyLine(Struct, frozen=True):
    """The turns of an item; none, and why, for a line that holds no item."""

    turns: tuple[ItemTurn, ...] = ()
    dropped: str = ""


def tidy(place: str, line: Line, *, is_dialogue: bool, variant: Variant) -> TidyLine:
    """One line as an item.

    `omnieval` does what the authors' cleaning does: one blank form of an answer drops an item, a
    dialogue is cut off before its first bad turn, and where their code crashes InputError is
    raised. `standard` leaves blank forms out and drops a dialogue with a bad turn as a whole; a
    list of questions in one object is the dialogue that it was meant to be.
    """
    if not line:
        return TidyLine(dropped="the dialogue is empty")
    if variant == "standard":
        return _standard(place, line)
    try:
        kept = _as_authors(line, is_dialogue=is_dialogue)
    except InputError as error:
        raise InputError(f"{place}: {error.message}", error.remedy) from error
    if not kept:
        return TidyLine(dropped="the authors' cleaning drops it")
    return TidyLine(tuple(item_turn(place, turn) for turn in kept))


def _as_authors(line: Line, *, is_dialogue: bool) -> list[dict[str, Any]]:
    if is_dialogue:
        return clean_conversations([line])[0]
    kept = clean(line[0])
    return [] if kept is None else [kept]


def _standard(place: str, line: Line) -> TidyLine:
    turns = [item_turn(place, turn) for value in line for turn in _split(value)]
    for check, reason in _FAULTS:
        for number, turn in enumerate(turns, 1):
            if check(turn):
                where = f"turn {number}: " if len(turns) > 1 else ""
                return TidyLine(dropped=f"{where}{reason}")
    return TidyLine(tuple(turns))


_FAULTS: tuple[tuple[Callable[[ItemTurn], bool], str], ...] = (
    (lambda turn: not turn.question.strip(), "the question is blank"),
    (lambda turn: not turn.answers, "there is no answer"),
)


def _split(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The turns of an object whose question is a list, as is each answer with its passages."""
    parts = [value.get(name) for name in FIELDS]
    if not all(isinstance(part, list) for part in parts):
        return [value]
    if not isinstance(value["question"], list) or len({len(part or ()) for part in parts}) != 1:
        return [value]
    columns = zip(*(part or () for part in parts), strict=True)
    return [{**value, **dict(zip(FIELDS, column, strict=True))} for column in columns]
