"""The taxonomy of OmniEval's files, and the topic and task that their names stand for."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.stored import find_taxonomy, taxonomy_names
from store.corpora import taxonomies
from store.datasets import datasets
from store.errors import UsageError
from store.formats import omnieval
from store.messages import listed
from store.records import UNASSIGNED, Task, Taxonomy, Topic

STANDARD = "omnieval"
"""The taxonomy of the authors, which need not be named."""

_PARENTHESIS = re.compile(r"[（(].*?[)）]")


def taxonomy_for(
    db: sqlite3.Connection, dataset: str, topics: Iterable[str]
) -> tuple[Taxonomy, bool]:
    """The taxonomy of the dataset; for a new one `omnieval` where it holds all topics, else the
    only taxonomy that does. The second says whether it was one other than these that was found.

    Where none holds all of them it is `omnieval`, and what it lacks is unassigned. Raises
    UsageError naming them where several do. `topics` are names as the items have them.
    """
    held = next((known for known in datasets.listing(db) if known.name == dataset), None)
    if held is not None:
        return taxonomies.get(db, held.taxonomy_id), False
    standard = load_taxonomy(STANDARD)
    # items without a topic say nothing about whose they are
    named = sorted(set(topics) - {"", UNASSIGNED})
    if _holds(standard, named):
        return standard, False
    others = (find_taxonomy(db, name) for name in taxonomy_names(db) if name != STANDARD)
    fitting = [taxonomy for taxonomy in others if _holds(taxonomy, named)]
    if len(fitting) > 1:
        names = listed([taxonomy.key for taxonomy in fitting])
        raise UsageError(
            f"Several taxonomies hold the topics of these items: {names}.",
            "Say which by --taxonomy NAME.",
        )
    return (fitting[0], True) if fitting else (standard, False)


def _holds(taxonomy: Taxonomy, topics: Iterable[str]) -> bool:
    return all(named_cell(topic, "", taxonomy)[0] != UNASSIGNED for topic in topics)


def cell(file: Path, taxonomy: Taxonomy) -> tuple[str, str]:
    """The topic and task key in a file's name; `unassigned` for what the taxonomy lacks."""
    named = omnieval.topic_and_task(file)
    return (UNASSIGNED, UNASSIGNED) if named is None else named_cell(*named, taxonomy)


def named_cell(topic: str, task: str, taxonomy: Taxonomy) -> tuple[str, str]:
    """The keys of a topic, alone or at the end of a path of names, and of a task by any of their
    names; `unassigned` for one that the taxonomy does not have."""
    topics = {_folded(name): member.key for member in taxonomy.topics for name in _names(member)}
    tasks = {_folded(name): member.key for member in taxonomy.tasks for name in _names(member)}
    last = topic.rpartition(" - ")[2]
    return topics.get(_folded(last), UNASSIGNED), tasks.get(_folded(task), UNASSIGNED)


def _names(named: Topic | Task) -> tuple[str, ...]:
    return named.key, named.zh, named.en


def _folded(name: str) -> str:
    """Without what stands in parentheses: their 反洗钱（AML） is our 反洗钱."""
    return _PARENTHESIS.sub("", name).strip().casefold()
