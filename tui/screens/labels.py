"""The names of topics and tasks, and of the values of a form's fields."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from engine.prompts.languages import by_lang
from engine.taxonomy.definitions import load_taxonomy, shipped_taxonomies
from store.labels.forms import NA, Field, Value, same
from store.records import UNASSIGNED, ItemContent, Task, Taxonomy, Topic
from tui.language import language, local_name, tr
from tui.live.facts import Facts


@cache
def _names() -> dict[str, tuple[str, str]]:
    return {
        topic.key: (topic.zh, topic.en)
        for taxonomy in shipped_taxonomies()
        for topic in load_taxonomy(taxonomy).topics
    }


def topic_text(key: str) -> str:
    """The topic's name; its key where no shipped taxonomy has it."""
    if key == UNASSIGNED:
        return tr("unassigned")
    zh, en = _names().get(key, (key, key))
    return by_lang(language(), zh, en)


def own_name(topic_or_task: Topic | Task | None, key: str) -> str:
    """Returns the name in a dataset's own taxonomy of a topic or task; the key if it has none."""
    if topic_or_task is None:
        return key
    return local_name(topic_or_task) or key


def cell_of(taxonomy: Taxonomy, content: ItemContent) -> str:
    """`Extractive x Funds`: task and topic of an item."""
    task = next((one for one in taxonomy.tasks if one.key == content.task), None)
    topic = next((one for one in taxonomy.topics if one.key == content.topic), None)
    return task_and_topic(own_name(task, content.task), own_name(topic, content.topic))


def task_and_topic(task: str, topic: str) -> str:
    """As desks name a cell; one of them alone where the other is empty."""
    return " x ".join(filter(None, (task, topic)))


def cell_text(names: Mapping[str, str], topic: str, task: str) -> str:
    """Returns a name such as `Funds x Extractive`; keys stand for missing names."""
    return f"{names.get(topic, topic)} x {names.get(task, task)}"


def cell_names(facts: Facts) -> dict[str, str]:
    """Returns the names of the topics and tasks of all datasets by key."""
    names = {UNASSIGNED: tr("unassigned")}
    for fact in reversed(facts.datasets):
        named: list[Topic | Task] = [*fact.taxonomy.topics, *fact.taxonomy.tasks]
        for topic_or_task in named:
            names[topic_or_task.key] = own_name(topic_or_task, topic_or_task.key)
    return names


def value_text(field: Field, value: Value | None) -> str:
    """Formats a value: `4 good`, `n/a`, or `nothing`."""
    if value is None:
        return tr("nothing")
    if same(value, NA):
        return tr("n/a")
    for choice in field.choices:
        if same(choice.value, value):
            return f"{choice.value} {local_name(choice)}"
    return str(value)
