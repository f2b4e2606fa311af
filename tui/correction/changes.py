"""Adding, deleting and moving the parts of an item: pure. Each gives the item and the key of the
field that the cursor goes to, or None where nothing can be done."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from store.records import Evidence, ItemContent, Turn
from tui.correction.fields import Spot

T = TypeVar("T")

Changed = tuple[ItemContent, str] | None


def added(content: ItemContent, spot: Spot) -> Changed:
    """Another answer after this one, or another turn after this question."""
    if spot.part == "answer":
        turn = content.turns[spot.turn]
        answers = _inserted(turn.golden_answers, spot.at + 1, "")
        return _with_turn(
            content, spot.turn, msgspec.structs.replace(turn, golden_answers=answers)
        ), f"{spot.turn}.answer.{spot.at + 1}"
    if spot.part == "question":
        turns = _inserted(content.turns, spot.turn + 1, Turn("", ("",)))
        return msgspec.structs.replace(content, turns=turns), f"{spot.turn + 1}.question"
    return None


def deleted(content: ItemContent, spot: Spot) -> Changed:
    """Without this answer, evidence, turn or hidden document. An only answer is emptied, an only
    turn stays."""
    if spot.part == "hidden" and spot.at >= 0:
        hidden = _without(content.hidden, spot.at)
        at = min(spot.at, max(len(hidden) - 1, 0))
        return msgspec.structs.replace(content, hidden=hidden), f"hidden.{at}"
    turn = content.turns[spot.turn]
    if spot.part == "answer":
        left = _without(turn.golden_answers, spot.at)
        changed = msgspec.structs.replace(turn, golden_answers=left)
        at = min(spot.at, max(len(left) - 1, 0))
        return _with_turn(content, spot.turn, changed), f"{spot.turn}.answer.{at}"
    if spot.part == "evidence" and spot.at >= 0:
        rest = _without(turn.evidence, spot.at)
        changed = msgspec.structs.replace(turn, evidence=rest)
        at = min(spot.at, len(rest) - 1)
        key = f"{spot.turn}.evidence.{at}" if rest else f"{spot.turn}.evidence"
        return _with_turn(content, spot.turn, changed), key
    if spot.part == "question" and len(content.turns) > 1:
        turns = _without(content.turns, spot.turn)
        number = min(spot.turn, len(turns) - 1)
        return msgspec.structs.replace(content, turns=turns), f"{number}.question"
    return None


def moved(content: ItemContent, spot: Spot, by: int) -> Changed:
    """With this answer, evidence or turn one place up (-1) or down (1)."""
    turn = content.turns[spot.turn]
    if spot.part == "answer" and 0 <= spot.at + by < len(turn.golden_answers):
        answers = _swapped(turn.golden_answers, spot.at, by)
        changed = msgspec.structs.replace(turn, golden_answers=answers)
        return _with_turn(content, spot.turn, changed), f"{spot.turn}.answer.{spot.at + by}"
    if spot.part == "evidence" and spot.at >= 0 and 0 <= spot.at + by < len(turn.evidence):
        evidence = _swapped(turn.evidence, spot.at, by)
        changed = msgspec.structs.replace(turn, evidence=evidence)
        return _with_turn(content, spot.turn, changed), f"{spot.turn}.evidence.{spot.at + by}"
    if spot.part == "question" and 0 <= spot.turn + by < len(content.turns):
        turns = _swapped(content.turns, spot.turn, by)
        return msgspec.structs.replace(content, turns=turns), f"{spot.turn + by}.question"
    return None


def with_hidden(content: ItemContent, spot: Spot, document: str) -> tuple[ItemContent, str]:
    """With a document hidden in place of the one at `spot`, or as another one."""
    hidden = content.hidden
    at = spot.at if spot.at >= 0 else len(hidden)
    if document in hidden:
        return content, f"hidden.{hidden.index(document)}"
    changed = (*hidden[:at], document, *hidden[at + 1 :])
    return msgspec.structs.replace(content, hidden=changed), f"hidden.{at}"


def with_evidence(content: ItemContent, spot: Spot, evidence: Evidence) -> tuple[ItemContent, str]:
    """With a passage in place of the one at `spot`, or as another of its turn."""
    turn = content.turns[spot.turn]
    if spot.part == "evidence" and spot.at >= 0:
        at = spot.at
        passages = (*turn.evidence[:at], evidence, *turn.evidence[at + 1 :])
    else:
        at = len(turn.evidence)
        passages = (*turn.evidence, evidence)
    changed = msgspec.structs.replace(turn, evidence=passages)
    return _with_turn(content, spot.turn, changed), f"{spot.turn}.evidence.{at}"


def _with_turn(content: ItemContent, number: int, turn: Turn) -> ItemContent:
    turns = (*content.turns[:number], turn, *content.turns[number + 1 :])
    return msgspec.structs.replace(content, turns=turns)


def _inserted(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    return (*items[:at], item, *items[at:])


def _without(items: tuple[T, ...], at: int) -> tuple[T, ...]:
    return (*items[:at], *items[at + 1 :])


def _swapped(items: tuple[T, ...], at: int, by: int) -> tuple[T, ...]:
    changed = list(items)
    changed[at], changed[at + by] = changed[at + by], changed[at]
    return tuple(changed)
