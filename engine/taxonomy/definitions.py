"""Taxonomies as data: the topics and tasks that a dataset's matrix is made of.

The shipped ones lie as JSON files in `taxonomies/`; a file may take the topics of another by
naming it in `topics_of`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from engine.prompts.languages import by_lang
from engine.prompts.shipped import read_shipped, shipped_keys
from store.errors import InputError
from store.formats.faults import broken_json
from store.records import UNASSIGNED, Lang, Task, Taxonomy, Topic

_PLACE = ("engine.taxonomy", "shipped")
_GROUPS = {
    "create": ("创建", "Create"),
    "read": ("读取", "Read"),
    "update": ("更新", "Update"),
    "delete": ("删除", "Delete"),
    "initial": ("初始", "Initial"),
    "evolved": ("演化", "Evolved"),
}
"""What shipped taxonomies call their groups of tasks, beside and not in their files, whose content
is hashed and stored."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: str
    name: str
    tasks: tuple[Task, ...]
    topics: tuple[Topic, ...] = ()
    topics_of: str = ""
    """Key of the shipped taxonomy whose topics this one has; empty when it lists its own."""


def shipped_taxonomies() -> tuple[str, ...]:
    """Keys of the taxonomies that come with the program, sorted."""
    return shipped_keys(*_PLACE)


def group_label(group: str, lang: Lang) -> str:
    """The label of a group of tasks; one that no shipped taxonomy has is its own."""
    return by_lang(lang, *_GROUPS.get(group, (group, group)))


@lru_cache(maxsize=8)
def load_taxonomy(key: str) -> Taxonomy:
    """The shipped taxonomy of that key. Raises NotFound naming those that exist."""
    return parse_taxonomy(read_shipped(*_PLACE, key, "taxonomy"), f"{key}.json")


def parse_taxonomy(data: bytes, name: str) -> Taxonomy:
    """The taxonomy that a JSON file holds; `name` says which file in errors.

    Raises InputError when a field is missing, unknown or of the wrong type, when a key is blank,
    reserved or used twice, and when a topic names a term twice.
    """
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise broken_json(data, name, error, "Correct that field of the taxonomy.") from error
    topics = load_taxonomy(file.topics_of).topics if file.topics_of else file.topics
    _check_keys(name, "topic", (topic.key for topic in topics))
    _check_keys(name, "task", (task.key for task in file.tasks))
    for topic in topics:
        _check_terms(name, topic)
    return Taxonomy(file.key, file.name, topics, file.tasks)


def _check_keys(name: str, kind: str, keys: Iterable[str]) -> None:
    counts = Counter(keys)
    for key, count in counts.items():
        if not key.strip() or key == UNASSIGNED:
            raise InputError(f"{name}: {key!r} cannot be the key of a {kind}.", "Rename it.")
        if count > 1:
            raise InputError(
                f"{name}: {count} {kind}s have the key {key!r}.", "Rename all but one."
            )


def _check_terms(name: str, topic: Topic) -> None:
    for term, count in Counter(term.casefold() for term in topic.terms).items():
        if count > 1 or not term.strip():
            raise InputError(
                f"{name}: topic {topic.key!r} has the term {term!r} {count} times.",
                "Every term is written once and is not blank.",
            )
