"""What a model replied, read strictly: every reply is parsed, empty, refused or unparsed.

Nothing fails open: an inspection that does not parse is no inspection, and an item with a fatal
problem is listed with it and not taken. How OmniEval's authors read replies is in `omnieval`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from engine.generate.items import ReadItem, read_item
from engine.generate.records import Problem, SourceDocument
from engine.models.parse import parse_json
from engine.text.refusals import is_refusal
from store.records import UNASSIGNED, ItemContent, Lang, Task, Taxonomy


class ReplyState(StrEnum):
    PARSED = "parsed"
    EMPTY = "empty"
    """The model found nothing to write, and said so in the agreed form: `[]`."""
    REFUSED = "refused"
    UNPARSED = "unparsed"


class ReadTopic(Struct, frozen=True):
    state: ReplyState
    topic: str | None
    """Key of the topic, `unassigned` for 0; null unless the reply was parsed."""
    problem: str = ""


class ReadGeneration(Struct, frozen=True):
    state: ReplyState
    items: tuple[ReadItem, ...] = ()
    """All items of the reply, those that cannot be taken included, with their problems."""
    problem: str = ""
    """Why the reply was not parsed, or what of its JSON was mended."""

    @property
    def taken(self) -> tuple[ItemContent, ...]:
        """The items without a fatal problem."""
        return tuple(item.content for item in self.items if item.content is not None)


class ReadInspection(Struct, frozen=True):
    state: ReplyState
    evaluation: int | None = None
    """0, 1 or 2; null unless the reply was parsed."""
    correction: ItemContent | None = None
    """What the inspector would make of an item it judged 1; null when there is none to use."""
    problems: tuple[Problem, ...] = ()
    """Of the correction; with a fatal one it is not used."""
    problem: str = ""


class TreeNode(Struct, frozen=True):
    """A topic of a proposed tree with those below it."""

    name: str
    below: tuple[TreeNode, ...] = ()
    terms: tuple[str, ...] = ()
    """Words that mark it."""


class ReadTree(Struct, frozen=True):
    state: ReplyState
    root: TreeNode | None = None
    problem: str = ""


_DECLINES = re.compile(
    r"抱歉|对不起|我(?:无法|不能|没有办法)|作为(?:一个|一名)?(?:AI|人工智能|语言模型)|不(?:予|便)(?:提供|回答)"
    r"|\bsorry\b|\bI (?:can(?:no|')t|am unable|am not able|won't|must decline)|\bas an AI\b",
    re.IGNORECASE,
)
_LONGEST_REFUSAL = 600


def read_topic(raw: str, taxonomy: Taxonomy) -> ReadTopic:
    """The topic a classifier chose. Whole numbers only, also as a string of digits."""
    parsed = parse_json(raw, "object")
    if parsed.value is None:
        return ReadTopic(_unread(raw), None, parsed.problem)
    number = _whole(parsed.value.get("topic_id"))
    if number is None:
        return ReadTopic(ReplyState.UNPARSED, None, "topic_id is no whole number")
    if not 0 <= number <= len(taxonomy.topics):
        return ReadTopic(ReplyState.UNPARSED, None, f"there is no topic {number}")
    key = taxonomy.topics[number - 1].key if number else UNASSIGNED
    return ReadTopic(ReplyState.PARSED, key, parsed.problem)


def read_generation(
    raw: str, documents: Sequence[SourceDocument], topic: str, task: Task, lang: Lang
) -> ReadGeneration:
    """The items of a reply, each checked against the documents it was to be written from.

    A list of objects is a list of items, or the turns of one dialogue where the task is a
    conversation; a list of lists is a list of dialogues. A lone object is one item.
    """
    parsed = parse_json(raw)
    if parsed.value is None:
        return ReadGeneration(_unread(raw), problem=parsed.problem)
    members = [parsed.value] if isinstance(parsed.value, dict) else parsed.value
    if not isinstance(members, list):
        return ReadGeneration(ReplyState.UNPARSED, problem="the reply is no list of items")
    if not members:
        return ReadGeneration(ReplyState.EMPTY)
    items = tuple(
        read_item(group, documents, topic, task, lang) for group in _groups(members, task)
    )
    return ReadGeneration(ReplyState.PARSED, items, parsed.problem)


def _groups(members: list[Any], task: Task) -> list[list[Any]]:
    """The turns of each item: members of a list of lists, else all of them or each alone."""
    if all(isinstance(member, list) for member in members):
        return members
    if task.shape == "conversation":
        return [members]
    return [[member] for member in members]


def read_inspection(
    raw: str, content: ItemContent, documents: Sequence[SourceDocument], task: Task
) -> ReadInspection:
    """The verdict on an item, with its correction where one is offered and can be used.

    The number must be a whole 0, 1 or 2 (a string of one digit counts). A correction must have as
    many turns as the item and pass the checks of a newly written item.
    """
    parsed = parse_json(raw, "object")
    if parsed.value is None:
        return ReadInspection(_unread(raw), problem=parsed.problem)
    evaluation = _whole(parsed.value.get("evaluation"))
    if evaluation not in (0, 1, 2):
        return ReadInspection(ReplyState.UNPARSED, problem="evaluation is not 0, 1 or 2")
    offered = parsed.value.get("corrected_result")
    if evaluation != 1 or offered in (None, "", [], {}, "None", "null"):
        return ReadInspection(ReplyState.PARSED, evaluation, problem=parsed.problem)
    turns = offered if isinstance(offered, list) else [offered]
    read = read_item(turns, documents, content.topic, task, content.lang)
    problems = read.problems
    if len(turns) != len(content.turns):
        said = f"the correction has {len(turns)} turns, the item {len(content.turns)}"
        problems = (Problem("turns_differ", said), *problems)
    usable = read.content if not any(problem.is_fatal for problem in problems) else None
    if usable is not None:
        usable = ItemContent(
            usable.turns, content.topic, content.task, content.lang, content.facets
        )
    return ReadInspection(ReplyState.PARSED, evaluation, usable, problems, parsed.problem)


def read_tree(raw: str, depth: int = 2) -> ReadTree:
    """A proposed topic tree, cut off below `depth` levels; blank and repeated names are left out.

    A tree without a topic below its root is unparsed.
    """
    parsed = parse_json(raw, "object")
    if parsed.value is None:
        return ReadTree(_unread(raw), problem=parsed.problem)
    root = _node(parsed.value, depth, set())
    if root is None or not root.below:
        return ReadTree(ReplyState.UNPARSED, problem="the reply holds no tree of topics")
    return ReadTree(ReplyState.PARSED, root, parsed.problem)


def _node(value: Any, levels: int, seen: set[str]) -> TreeNode | None:
    name = value.get("topic_name") if isinstance(value, dict) else None
    if not isinstance(name, str) or not name.strip() or name.strip().casefold() in seen:
        return None
    seen.add(name.strip().casefold())
    below = value.get("sub_topics")
    members = below if isinstance(below, list) and levels > 0 else []
    nodes = (_node(member, levels - 1, seen) for member in members)
    kept = tuple(node for node in nodes if node is not None)
    return TreeNode(name.strip(), kept, _terms(value.get("terms")))


def _terms(value: Any) -> tuple[str, ...]:
    """The strings of a list, once each; a reply may leave terms out."""
    listed = value if isinstance(value, list) else []
    found = (term.strip() for term in listed if isinstance(term, str) and term.strip())
    return tuple({term.casefold(): term for term in found}.values())


def _unread(raw: str) -> ReplyState:
    """Refused where the words decline, else unparsed; an empty reply is unparsed."""
    text = raw.strip()
    if text and len(text) <= _LONGEST_REFUSAL and (is_refusal(text) or _DECLINES.search(text)):
        return ReplyState.REFUSED
    return ReplyState.UNPARSED


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return int(value.strip())
    return value if isinstance(value, int) else None
