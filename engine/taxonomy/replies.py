"""A model's replies about topics, read strictly: a reply that cannot be read gives none."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from engine.models.parse import parse_json
from engine.models.replies import ReplyState, unread_state, whole_number
from engine.taxonomy.tree import TreeNode
from store.records import UNASSIGNED, Taxonomy


class ReadTopic(Struct, frozen=True):
    state: ReplyState
    topic: str | None
    """Key of the topic, `unassigned` for 0; null unless the reply was parsed."""
    problem: str = ""


class ReadTree(Struct, frozen=True):
    state: ReplyState
    root: TreeNode | None = None
    problem: str = ""


def read_topic(raw: str, taxonomy: Taxonomy) -> ReadTopic:
    """The topic a classifier chose. Whole numbers only, also as a string of digits."""
    parsed = parse_json(raw, "object")
    if parsed.value is None:
        return ReadTopic(unread_state(raw), None, parsed.problem)
    number = whole_number(parsed.value.get("topic_id"))
    if number is None:
        return ReadTopic(ReplyState.UNPARSED, None, "topic_id is no whole number")
    if not 0 <= number <= len(taxonomy.topics):
        return ReadTopic(ReplyState.UNPARSED, None, f"there is no topic {number}")
    key = taxonomy.topics[number - 1].key if number else UNASSIGNED
    return ReadTopic(ReplyState.PARSED, key, parsed.problem)


def read_tree(raw: str, depth: int = 2) -> ReadTree:
    """A proposed topic tree, cut off below `depth` levels; blank and repeated names are left out.

    A tree without a topic below its root is unparsed.
    """
    parsed = parse_json(raw, "object")
    if parsed.value is None:
        return ReadTree(unread_state(raw), problem=parsed.problem)
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
    terms = (term.strip() for term in listed if isinstance(term, str) and term.strip())
    return tuple({term.casefold(): term for term in terms}.values())
