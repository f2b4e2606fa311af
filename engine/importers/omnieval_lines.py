"""The lines of OmniEval's item files, tidied: as the authors' code does, or more carefully."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from msgspec import Struct

from store.errors import InputError
from store.formats.omnieval import ItemTurn, item_turn

Variant = Literal["standard", "omnieval"]
Item = dict[str, Any]
"""In the authors' layout."""
Line = list[Item]
"""The turns of a line as they stand there; one of a single item."""
FIELDS = ("question", "answer", "relevant_passage")
"""What each turn of a dialogue has of its own."""
_REMEDY = "Correct or remove the item; the authors' code stops here."


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
    return [{**value, **dict(zip(FIELDS, one, strict=True))} for one in columns]


def clean(item: Any) -> Item | None:
    """The item with its texts stripped and lists made of single values, or None when dropped.

    One blank form among several drops the item, as does a passage that is one blank text; the
    passages of a list may all be blank. A string answer stays as it is, a list of questions is
    always dropped. Fields are looked at in this order, and the first that drops the item ends it.
    """
    if not isinstance(item, dict):
        raise InputError(f"{item!r} stands where an item must be.", _REMEDY)
    question = _field(item, "question")
    if isinstance(question, list):
        # they compare it with the other fields, though never with success
        _field(item, "answer"), _field(item, "relevant_passage")
        return None
    if not _stripped(question):
        return None
    answer = _forms(_field(item, "answer"))
    if answer is None:
        return None
    passages = _passages(_field(item, "relevant_passage"))
    if passages is None:
        return None
    node = _field(item, "relevant_node")
    if isinstance(node, str):
        node = [node]
    if not isinstance(node, list):
        return None
    return {
        **item,
        "question": question.strip(),
        "answer": answer,
        "relevant_passage": passages,
        "relevant_node": node,
    }


def _forms(answer: Any) -> str | list[str] | None:
    if isinstance(answer, str):
        return answer if answer.strip() else None
    if not isinstance(answer, list):
        return None
    forms = []
    for form in answer:
        if not _stripped(form):
            return None
        forms.append(form.strip())
    return forms or None


def _passages(passages: Any) -> list[str] | None:
    if isinstance(passages, str):
        return [passages.strip()] if passages.strip() else None
    if not isinstance(passages, list):
        return None
    return [kept for passage in passages if (kept := _stripped(passage))]


def _field(item: Item, name: str) -> Any:
    if name not in item:
        raise InputError(f"An item lacks the field {name}.", _REMEDY)
    return item[name]


def _stripped(text: Any) -> str:
    if not isinstance(text, str):
        raise InputError(f"{text!r} stands where a text must be.", _REMEDY)
    return text.strip()


def clean_conversations(lines: Sequence[Any]) -> list[list[Item]]:
    """Dialogues cut off before their first bad turn, be it the very first; other lines dropped."""
    cleaned: list[list[Item]] = []
    for line in lines:
        if not isinstance(line, list):
            continue
        turns: list[Item] = []
        for turn in line:
            kept = clean(turn)
            if kept is None:
                break
            turns.append(kept)
        cleaned.append(turns)
    return cleaned
