"""What topics and tasks are called: the names of the shipped taxonomies, by key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from engine.taxonomy import load_taxonomy, shipped_taxonomies
from store.records import UNASSIGNED, Task, Topic
from tui.judging.words import form_language
from tui.live.facts import Facts


@cache
def _names() -> dict[str, tuple[str, str]]:
    return {
        topic.key: (topic.zh, topic.en)
        for taxonomy in shipped_taxonomies()
        for topic in load_taxonomy(taxonomy).topics
    }


@cache
def _task_names() -> dict[str, tuple[str, str]]:
    return {
        task.key: (task.zh, task.en)
        for taxonomy in shipped_taxonomies()
        for task in load_taxonomy(taxonomy).tasks
    }


def topic_text(key: str, lang: str) -> str:
    """The topic's name in that language; its key where no shipped taxonomy has it."""
    if not key or key == UNASSIGNED:
        return key
    zh, en = _names().get(key, (key, key))
    return zh if lang == "zh" else en


def task_text(key: str, lang: str) -> str:
    """The task's name in that language; its key where no shipped taxonomy has it."""
    zh, en = _task_names().get(key, (key, key))
    return zh if lang == "zh" else en


def cell_text(names: Mapping[str, str], topic: str, task: str) -> str:
    """`Funds x Extractive`; what has no name goes by its key."""
    return f"{names.get(topic, topic)} x {names.get(task, task)}"


def cell_names(facts: Facts, environ: Mapping[str, str]) -> dict[str, str]:
    """What the topics and tasks of all datasets are called, by key: Chinese where the dataset is,
    or where the person's locale is."""
    names: dict[str, str] = {}
    for fact in reversed(facts.datasets):
        is_chinese = fact.is_chinese or form_language(environ) == "zh"
        named: list[Topic | Task] = [*fact.taxonomy.topics, *fact.taxonomy.tasks]
        for one in named:
            names[one.key] = (one.zh if is_chinese else one.en) or one.key
    return names
