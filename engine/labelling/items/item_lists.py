"""Lists of a dataset's items by text, state, cell, verdict, score or author, and items alike."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct, structs

from store.corpora import taxonomies
from store.datasets import datasets, item_lists
from store.datasets.datasets import Dataset
from store.datasets.item_lists import ItemFilter, ScoreRange
from store.errors import NotFound, UsageError
from store.messages import choices
from store.records import UNASSIGNED, ItemContent, ItemState
from store.runs import results, runs
from store.workspace import Workspace

Duplicates = Literal["", "groups", "later"]
"""All items; those with a near-duplicate among them, group by group; of each group all but the
first."""
SIMILAR = 5


class ItemRequest(Struct, frozen=True, omit_defaults=True):
    """Which items of a dataset are wanted."""

    dataset: str
    filter: ItemFilter = ItemFilter()
    """Its `score` follows from what is below."""
    run: str = ""
    metric: str = ""
    judge: str = ""
    low: float | None = None
    """The least and the greatest score of the metric, both included; null for no limit."""
    high: float | None = None
    duplicates: Duplicates = ""


class ItemList(Struct, frozen=True):
    """The items that were found."""

    items: tuple[int, ...]
    filter: ItemFilter
    """With the scores that were asked for."""
    states: dict[str, int]
    """How many items stand in each state."""
    groups: dict[int, int]
    """Of near-duplicates the number of the group, from 1, by item."""


class ItemQuery(Struct, frozen=True):
    """Finds items, for the app."""

    wanted: ItemRequest

    def answer(self, workspace: Workspace) -> ItemList:
        """Raises as `list_items` does."""
        return list_items(workspace.db, self.wanted)


class SimilarItem(Struct, frozen=True):
    """An item that is like another."""

    item: int
    item_key: str
    state: ItemState
    similarity: float
    """Of their questions, 0 to 1; see `engine.text.word_overlap`."""
    content: ItemContent


class SimilarItems(Struct, frozen=True):
    """An item with those that are most like it, the most similar first."""

    item: int
    content: ItemContent
    others: tuple[SimilarItem, ...]


class SimilarQuery(Struct, frozen=True):
    """Finds what an item is like, for the app."""

    dataset: str
    item: int

    def answer(self, workspace: Workspace) -> SimilarItems:
        """Raises as `similar_items` does."""
        return similar_items(workspace.db, self.dataset, self.item)


def list_items(db: sqlite3.Connection, wanted: ItemRequest) -> ItemList:
    """The items that a request finds, in the order in which they came; near-duplicates group by
    group, without what is discarded unless its state is asked for.

    Raises NotFound for an unknown dataset, topic, task, author, run or metric, and UsageError for a
    limit of scores without a metric.
    """
    dataset = datasets.get(db, wanted.dataset, archived=True)
    _check_names(db, dataset, wanted.filter)
    found = structs.replace(wanted.filter, score=_score_range(db, dataset, wanted))
    if wanted.duplicates and not found.states:
        kept = tuple(state for state in ItemState if state is not ItemState.DISCARDED)
        found = structs.replace(found, states=kept)
    items = item_lists.matching(db, dataset, found)
    groups: dict[int, int] = {}
    if wanted.duplicates:
        groups = _near_duplicates(db, dataset, items)
        firsts = {group: item for item, group in reversed(groups.items())}
        items = sorted(groups, key=lambda item: (groups[item], item))
        if wanted.duplicates == "later":
            items = [item for item in items if firsts[groups[item]] != item]
    states = Counter(str(line.state) for line in item_lists.lines(db, items, ItemFilter()))
    return ItemList(tuple(items), found, dict(sorted(states.items())), groups)


def similar_items(
    db: sqlite3.Connection, dataset_name: str, item: int, limit: int = SIMILAR
) -> SimilarItems:
    """The items of a dataset whose questions share most words with those of one item. Raises
    NotFound for an item that the dataset has not."""
    from engine.text.word_overlap import nearest

    dataset = datasets.get(db, dataset_name, archived=True)
    texts = item_lists.contents(db, dataset)
    own = texts.pop(item, None)
    if own is None:
        raise NotFound(f"Dataset {dataset_name!r} has no item with number {item}.")
    numbers = tuple(texts)
    near = nearest(questions(own), [questions(texts[number]) for number in numbers], limit)
    lines = item_lists.lines(db, [numbers[one.place] for one in near], ItemFilter())
    others = (
        SimilarItem(line.item, line.item_key, line.state, one.similarity, texts[line.item])
        for one, line in zip(near, lines, strict=True)
    )
    return SimilarItems(item, own, tuple(others))


def questions(content: ItemContent) -> str:
    """All questions of an item, a line each: what items are compared by."""
    return "\n".join(turn.question for turn in content.turns)


def _near_duplicates(
    db: sqlite3.Connection, dataset: Dataset, items: Sequence[int]
) -> dict[int, int]:
    """The group of each item that has a near-duplicate among `items`; what is a near-duplicate of
    one of a group belongs to it. Groups are numbered in the order of their first items."""
    from engine.text.duplicates import duplicate_pairs

    texts = item_lists.contents(db, dataset)
    first = list(range(len(items)))

    def root(place: int) -> int:
        while first[place] != place:
            place = first[place]
        return place

    for place, other in duplicate_pairs([questions(texts[item]) for item in items]):
        one, two = sorted((root(place), root(other)))
        first[two] = one
    roots = [root(place) for place in range(len(items))]
    sizes = Counter(roots)
    numbers: dict[int, int] = {}
    return {
        item: numbers.setdefault(its_root, len(numbers) + 1)
        for item, its_root in zip(items, roots, strict=True)
        if sizes[its_root] > 1
    }


def _score_range(
    db: sqlite3.Connection, dataset: Dataset, wanted: ItemRequest
) -> ScoreRange | None:
    if not wanted.metric:
        if wanted.run or wanted.judge or wanted.low is not None or wanted.high is not None:
            raise UsageError("Scores are those of a metric.", "Name it as well.", "--metric M")
        return None
    if not wanted.run:
        raise UsageError("Scores are those of a run.", "Name it as well.", "--run RUN")
    run = runs.get(db, wanted.run)
    if datasets.of_release(db, run.release_id).id != dataset.id:
        raise UsageError(
            f"Run {run.name!r} is not over dataset {dataset.name!r}.", "Name a run over it."
        )
    metric = results.find_metric(db, run.id, wanted.metric, judge=wanted.judge or None)
    return ScoreRange(run.id, metric.name, metric.variant, metric.judge_id, wanted.low, wanted.high)


def _check_names(db: sqlite3.Connection, dataset: Dataset, wanted: ItemFilter) -> None:
    taxonomy = taxonomies.get(db, dataset.taxonomy_id)
    topics = (UNASSIGNED, *(topic.key for topic in taxonomy.topics))
    tasks = (UNASSIGNED, *(task.key for task in taxonomy.tasks))
    _check("topic", wanted.topics, topics)
    _check("task", wanted.tasks, tasks)
    if wanted.authors:
        _check("author", wanted.authors, item_lists.authors(db, dataset))
    for key in wanted.items:
        datasets.head(db, dataset, key)


def _check(what: str, names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise NotFound(f"There is no {what} {name!r} here.", choices(name, known, "There are"))
