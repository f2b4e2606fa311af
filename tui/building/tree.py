"""The rows of the quota matrix: groups of topics that fold, the topics, what fits none, all."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from store.records import UNASSIGNED, Taxonomy

GROUP = "group:"
"""Before the name of a group, in the key of its row."""


class TreeRow(NamedTuple):
    key: str
    """A topic's key, or `group:NAME`."""
    name: str
    topics: tuple[str, ...]
    """Keys of the topics that the row stands for."""
    group: str = ""
    """The group that it is, or stands in."""

    @property
    def is_group(self) -> bool:
        return self.key.startswith(GROUP)


def group_rows(taxonomy: Taxonomy, is_chinese: bool) -> dict[str, tuple[str, ...]]:
    """Topic keys by the name of their group, in the order of the taxonomy; '' for none."""
    groups: dict[str, list[str]] = {}
    for topic in taxonomy.topics:
        groups.setdefault(topic.group_zh if is_chinese else topic.group_en, []).append(topic.key)
    return {name: tuple(keys) for name, keys in groups.items()}


def tree_rows(taxonomy: Taxonomy, folded: Set[str], is_chinese: bool) -> list[TreeRow]:
    """Groups with the topics that are not folded away below them; unassigned at the end.

    Groups are left out where no topic has one.
    """
    names = topic_names(taxonomy, is_chinese)
    rows: list[TreeRow] = []
    for group, keys in group_rows(taxonomy, is_chinese).items():
        if group:
            rows.append(TreeRow(GROUP + group, group, keys, group))
        if group not in folded:
            rows += [TreeRow(key, names[key], (key,), group) for key in keys]
    return [*rows, TreeRow(UNASSIGNED, names[UNASSIGNED], (UNASSIGNED,))]


def topic_names(taxonomy: Taxonomy, is_chinese: bool) -> Mapping[str, str]:
    """What each topic is called, by key."""
    names = {topic.key: topic.zh if is_chinese else topic.en for topic in taxonomy.topics}
    return {**names, UNASSIGNED: "没有主题" if is_chinese else "no topic"}


def task_names(taxonomy: Taxonomy, is_chinese: bool) -> Mapping[str, str]:
    """What each task is called, by key."""
    return {task.key: task.zh if is_chinese else task.en for task in taxonomy.tasks}
