"""A tree of topic names made into a taxonomy, and a taxonomy pruned: pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from store.errors import InputError, UsageError
from store.formats.faults import broken_json
from store.messages import no_such
from store.records import UNASSIGNED, Lang, Taxonomy, Topic

_MOST_LEVELS = 50
_SEPARATOR = re.compile(r"[^\w]+")


class TreeNode(Struct, frozen=True):
    """A topic of a proposed tree with those below it."""

    name: str
    below: tuple[TreeNode, ...] = ()
    terms: tuple[str, ...] = ()
    """Words that mark it."""


def taxonomy_of_tree(
    root: TreeNode, key: str, tasks_from: Taxonomy, known: Sequence[Topic] = ()
) -> Taxonomy:
    """The taxonomy whose topics stand two levels below the root, in the groups of the first level.

    A branch that ends at the first level is a topic without a group. Names deeper down become
    terms of their topic. A topic that is among `known`, by its group and name in either language,
    is taken from there whole, with its key and terms; others have one name for both languages.
    """
    by_name = {
        (_fold(group), _fold(name)): topic
        for topic in known
        for group, name in ((topic.group_zh, topic.zh), (topic.group_en, topic.en))
    }
    topics: dict[str, Topic] = {}
    for group, node in _topics(root):
        topic = by_name.get((_fold(group), _fold(node.name)))
        if topic is None or topic.key in topics:
            topic = _topic(group, node, _free_key(node.name, topics))
        topics[topic.key] = topic
    return Taxonomy(key, root.name, tuple(topics.values()), tasks_from.tasks)


def read_authors_tree(data: bytes, name: str) -> TreeNode | None:
    """The tree of a file in the layout of OmniEval's `topic_tree.json`, nested `topic_name` and
    `sub_topics`; None when the file is of another layout, InputError when it is broken."""
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise broken_json(data, name, error, "Correct the file; it is to be JSON.") from error
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or "topic_name" not in value:
        return None
    root = _authors_node(value, name, "the root")
    if not root.below:
        raise InputError(f"{name} holds no topic below its root.", "List some in sub_topics.")
    return root


def pruned(
    taxonomy: Taxonomy,
    *,
    key: str = "",
    drop: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
    lang: Lang | None = None,
) -> Taxonomy:
    """`taxonomy` without the topics of `drop`, each a key or the name of a whole group, and with
    other names for the topics of `rename`, by key; the keys stay.

    A name is for `lang`, or for both languages. Raises UsageError for a key or group that there is
    not, a blank name, and when no topic would be left.
    """
    named = dict(rename or {})
    keys = {topic.key for topic in taxonomy.topics}
    groups = {
        group for topic in taxonomy.topics for group in (topic.group_zh, topic.group_en) if group
    }
    for given in (*drop, *named):
        if given not in keys and (given in named or given not in groups):
            known = [topic.key for topic in taxonomy.topics]
            raise no_such("topic", given, known, "Topics")
    for given, name in named.items():
        if not name.strip():
            raise UsageError(f"The new name of topic {given!r} is blank.")
    gone = set(drop)
    topics = tuple(
        _renamed(topic, named[topic.key].strip(), lang) if topic.key in named else topic
        for topic in taxonomy.topics
        if not gone & {topic.key, topic.group_zh, topic.group_en}
    )
    if not topics:
        raise UsageError("No topic would be left.", "Keep at least one.")
    return replace(taxonomy, key=key or taxonomy.key, topics=topics)


def _renamed(topic: Topic, name: str, lang: Lang | None) -> Topic:
    return replace(
        topic,
        zh=topic.zh if lang == "en" else name,
        en=topic.en if lang == "zh" else name,
    )


def _topics(root: TreeNode) -> Iterator[tuple[str, TreeNode]]:
    """Each topic with the name of its group, empty where it has none."""
    for node in root.below:
        if node.below:
            yield from ((node.name, below) for below in node.below)
        else:
            yield "", node


def _topic(group: str, node: TreeNode, key: str) -> Topic:
    listed = dict.fromkeys((*node.terms, *_names_below(node)))
    folded = {_fold(term): term for term in reversed(listed) if term.strip()}
    terms = tuple(dict.fromkeys(term for term in listed if term in folded.values()))
    return Topic(key, node.name, node.name, group, group, terms)


def _names_below(node: TreeNode) -> Iterator[str]:
    for below in node.below:
        yield below.name
        yield from _names_below(below)


def _free_key(name: str, taken: Mapping[str, Topic]) -> str:
    base = _SEPARATOR.sub("_", _fold(name)).strip("_") or "topic"
    number, key = 1, base
    while key in taken or key == UNASSIGNED:
        number += 1
        key = f"{base}_{number}"
    return key


def _fold(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _authors_node(value: object, file: str, place: str, level: int = 0) -> TreeNode:
    if level > _MOST_LEVELS:
        raise InputError(
            f"{file}: sub_topics are nested more than {_MOST_LEVELS} levels deep.",
            "Topics are the second level below the root.",
        )
    if not isinstance(value, dict):
        raise InputError(f"{file}: {place} is not an object.", "Give it topic_name and sub_topics.")
    name, below = value.get("topic_name"), value.get("sub_topics") or []
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{file}: {place} has no topic_name.", "Name it.")
    if not isinstance(below, list):
        raise InputError(f"{file}: sub_topics of {name!r} is not a list.", "Make it one.")
    below_it = f"a topic below {name!r}"
    nodes = tuple(_authors_node(child, file, below_it, level + 1) for child in below)
    return TreeNode(name.strip(), nodes)
