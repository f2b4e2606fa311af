"""Model replies read as the code of OmniEval's authors reads them, for importing their data alike.

Items are dictionaries in their layout. Replies are mended by the library that they use, in their
version. Where their code crashes, InputError is raised. The program's own reading, which is
stricter, is in `replies`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from store.errors import InputError

Item = dict[str, Any]

FIELDS = ("question", "answer", "relevant_passage")
"""What a member of a reply must have to be an item."""
_ADDED = ("topic_name", "task_name", "relevant_node")
"""What their program adds to a reply; an inspector neither sees nor returns it."""
_CONVERSATION = "多轮对话能力"
_REMEDY = "Correct or remove the item; the authors' code stops here."


def topic_index(raw: str, topics: int) -> int | None:
    """0-based index of the topic that a classifier's reply names, or None to skip the document.

    The reply counts from 1; 0, what is out of range and what does not parse are all None. A string
    of digits counts, and a decimal is cut off.
    """
    try:
        number = int(_mended(raw)["topic_id"])
    except (InputError, KeyError, TypeError, ValueError, OverflowError):
        return None
    return number - 1 if 1 <= number <= topics else None


def parse_generation(
    raw: str, topic_name: str, task_name: str, relevant_node: str | list[str]
) -> list[Item] | list[list[Item]]:
    """The items of a reply, with topic, task and documents added; what is not an item is dropped.

    A reply to the conversational task is one dialogue: a list that holds the list of its turns.
    """
    try:
        value = _mended(raw)
    except InputError:
        return []
    added = {
        "topic_name": topic_name,
        "task_name": task_name,
        "relevant_node": relevant_node,
    }
    items = [
        {**member, **added}
        for member in (value if isinstance(value, list) else [value])
        if isinstance(member, dict) and all(field in member for field in FIELDS)
    ]
    return [items] if items and task_name == _CONVERSATION else items


def inspect(item: Item | list[Item], raw: str, nodes: Collection[str]) -> Item | list[Item] | None:
    """The item (or dialogue) after its inspection, or None when it is dropped.

    0 drops it. 2 keeps it. 1 puts the correction in its place if that has the same fields (and
    turns), else keeps the original; either way it is marked 1. All else keeps it, marked -1.
    `nodes` are the ids of the corpus. A `relevant_node` that cleaning has not made a list is a
    crash of theirs, as is a document that the corpus lacks.
    """
    turns = item if isinstance(item, list) else [item]
    _check_added(turns, nodes)
    value = _mended(raw)
    evaluation = value.get("evaluation", -1) if isinstance(value, dict) else -1
    if evaluation == 0:
        return None
    if evaluation not in (1, 2):
        return _marked(item, -1)
    if evaluation == 2:
        return _marked(item, evaluation)
    if "corrected_result" not in value:
        raise InputError("An inspection of 1 comes without corrected_result.", _REMEDY)
    corrected = _corrected(turns, value["corrected_result"], is_dialogue=isinstance(item, list))
    return _marked(item if corrected is None else corrected, evaluation)


def _mended(raw: str) -> Any:
    """The value that their library makes of a reply: an empty text where it finds none."""
    import json_repair

    try:
        return json_repair.loads(raw)
    except (ValueError, RecursionError, IndexError) as error:
        raise InputError(f"The reply cannot be mended: {error}.", _REMEDY) from error


def _check_added(turns: Sequence[Item], nodes: Collection[str]) -> None:
    if not turns or any(field not in turn for turn in turns for field in _ADDED):
        raise InputError(f"An item lacks one of {', '.join(_ADDED)}.", _REMEDY)
    given = turns[0]["relevant_node"]
    # a text is walked through by its letters there, which no corpus has as documents
    listed = list(given) if isinstance(given, str | list | dict) else []
    known = all(isinstance(node, str) and node in nodes for node in listed)
    if len(listed) not in (1, 2) or not known:
        raise InputError(f"The documents {listed} are not one or two of the corpus.", _REMEDY)


def _corrected(
    turns: Sequence[Item], correction: Any, *, is_dialogue: bool
) -> Item | list[Item] | None:
    """The turns with the fields of the correction, or None where their shapes differ."""
    if not is_dialogue and isinstance(correction, list):
        correction = correction[0] if correction else None
    offered = correction if is_dialogue else [correction]
    if not isinstance(offered, list) or len(offered) != len(turns):
        return None
    merged = []
    for turn, fields in zip(turns, offered, strict=True):
        shown = {key for key in turn if key not in _ADDED}
        if not isinstance(fields, dict) or set(fields) != shown:
            return None
        merged.append({**turn, **fields})
    return merged if is_dialogue else merged[0]


def _marked(item: Item | list[Item], evaluation: int | float) -> Item | list[Item]:
    if isinstance(item, list):
        return [{**turn, "evaluation": evaluation} for turn in item]
    return {**item, "evaluation": evaluation}


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
