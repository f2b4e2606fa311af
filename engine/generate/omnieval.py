"""What the code of OmniEval's authors makes of model replies, for importing their data alike.

Items are dictionaries in their layout. Where their code crashes, InputError is raised. The
program's own reading, which is stricter, is in `replies`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from engine.models.parse import parse_json
from store.errors import InputError

Item = dict[str, Any]

FIELDS = ("question", "answer", "relevant_passage")
"""What a member of a reply must have to be an item."""
_ADDED = ("topic_name", "task_name", "relevant_node")
"""What their program adds to a reply; an inspector neither sees nor returns it."""
_MOST_NODES = 2
_REMEDY = "Correct or remove the item; the authors' code stops here."


def topic_index(raw: str, topics: int) -> int | None:
    """0-based index of the topic that a classifier's reply names, or None to skip the document.

    The reply counts from 1; 0, what is out of range and what does not parse are all None. A string
    of digits counts, and a decimal is cut off.
    """
    value = parse_json(raw).value
    if not isinstance(value, dict):
        return None
    try:
        number = int(value["topic_id"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return number - 1 if 1 <= number <= topics else None


def parse_generation(
    raw: str, topic_name: str, task_name: str, relevant_node: str | list[str]
) -> list[Item]:
    """The items of a reply, with topic, task and documents added; what is not an item is dropped.

    For a conversation the items are the turns of one dialogue.
    """
    value = parse_json(raw).value
    members = [value] if isinstance(value, dict) else value
    if not isinstance(members, list):
        return []
    added = {
        "topic_name": topic_name,
        "task_name": task_name,
        "relevant_node": relevant_node,
    }
    return [
        {**member, **added}
        for member in members
        if isinstance(member, dict) and all(field in member for field in FIELDS)
    ]


def inspect(item: Item | list[Item], raw: str, nodes: Collection[str]) -> Item | list[Item] | None:
    """The item (or dialogue) after its inspection, or None when it is dropped.

    0 drops it. 2 keeps it. 1 puts the correction in its place if that has the same fields (and
    turns), else keeps the original; either way it is marked 1. All else keeps it, marked -1.
    `nodes` are the ids of the corpus.
    """
    turns = item if isinstance(item, list) else [item]
    _check_nodes(turns[0], nodes)
    value = parse_json(raw).value
    found = value.get("evaluation") if isinstance(value, dict) else None
    if found == 0 and not isinstance(found, str):
        return None
    if found not in (1, 2):
        return _marked(item, -1)
    if found == 2:
        return _marked(item, 2)
    if "corrected_result" not in value:
        raise InputError("An inspection of 1 comes without corrected_result.", _REMEDY)
    corrected = _corrected(turns, value["corrected_result"], is_dialogue=isinstance(item, list))
    return _marked(item, 1) if corrected is None else _marked(corrected, 1)


def _check_nodes(item: Item, nodes: Collection[str]) -> None:
    wanted = item["relevant_node"]
    listed = [wanted] if isinstance(wanted, str) else wanted
    if len(listed) > _MOST_NODES or any(node not in nodes for node in listed):
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


def _marked(item: Item | list[Item], evaluation: int) -> Item | list[Item]:
    if isinstance(item, list):
        return [{**turn, "evaluation": evaluation} for turn in item]
    return {**item, "evaluation": evaluation}


def clean(item: Item) -> Item | None:
    """The item with its texts stripped and lists made of single values, or None when dropped.

    One blank form among several drops the item; passages may all be blank. A string answer stays
    as it is.
    """
    question = item["question"]
    answer, passages, node = item["answer"], item["relevant_passage"], item["relevant_node"]
    if not isinstance(question, str) or not question.strip():
        return None
    if isinstance(answer, list):
        answer = [_stripped(form) for form in answer]
        if not answer or not all(answer):
            return None
    elif not isinstance(answer, str) or not answer.strip():
        return None
    if isinstance(passages, str):
        passages = [passages]
    if isinstance(node, str):
        node = [node]
    if not isinstance(passages, list) or not isinstance(node, list):
        return None
    return {
        **item,
        "question": question.strip(),
        "answer": answer,
        "relevant_passage": [kept for passage in passages if (kept := _stripped(passage))],
        "relevant_node": node,
    }


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
