"""The plan of a dataset: corpus, taxonomy and the items that each cell shall hold; its changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from store.records import UNASSIGNED, Taxonomy

Cell = tuple[str, str]
"""Topic key and task key."""

USUAL_TARGET = 20
"""Items a cell from which on its results are not drawn paler."""
MOST = 9999


class Plan(Struct, frozen=True):
    corpus: str
    dataset: str
    taxonomy: Taxonomy
    is_new: bool
    """Whether the dataset is yet to be made."""
    targets: dict[Cell, int]
    left_out: frozenset[str] = frozenset()
    """Topics that get nothing, whatever their cells ask for."""
    off: frozenset[str] = frozenset()
    """Tasks that get nothing."""

    @property
    def topics(self) -> tuple[str, ...]:
        """Keys of all topics, with the one of the documents that fit none at the end."""
        return (*(topic.key for topic in self.taxonomy.topics), UNASSIGNED)

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(task.key for task in self.taxonomy.tasks)

    def target(self, topic: str, task: str) -> int:
        """Items that a cell shall hold."""
        if topic in self.left_out or task in self.off:
            return 0
        return self.targets.get((topic, task), 0)

    @property
    def wanted(self) -> tuple[tuple[str, str, int], ...]:
        """Topic, task and items of each cell that shall hold any."""
        cells = ((topic, task) for topic in self.topics for task in self.tasks)
        return tuple((*cell, self.target(*cell)) for cell in cells if self.target(*cell))

    @property
    def items(self) -> int:
        """Items of all cells together."""
        return sum(items for _, _, items in self.wanted)

    def with_target(self, topics: Iterable[str], tasks: Iterable[str], items: int) -> Plan:
        """Every cell of these topics and tasks asks for `items`; those left out stay so, unless
        they are all that was named."""
        topics, tasks = tuple(topics), tuple(tasks)
        left_out = self.left_out - set(topics) if set(topics) <= self.left_out else self.left_out
        off = self.off - set(tasks) if set(tasks) <= self.off else self.off
        cells = {
            (topic, task): items
            for topic in topics
            for task in tasks
            if topic not in left_out and task not in off
        }
        return replace(self, targets={**self.targets, **cells}, left_out=left_out, off=off)

    def turn_topics(self, topics: Iterable[str]) -> Plan:
        """Leaves these topics out, or takes them in again when all of them were out."""
        return replace(self, left_out=_turned(self.left_out, topics))

    def turn_tasks(self, tasks: Iterable[str]) -> Plan:
        """Leaves these tasks out, or takes them in again when all of them were out."""
        return replace(self, off=_turned(self.off, tasks))

    def with_taxonomy(self, taxonomy: Taxonomy) -> Plan:
        """The same over another taxonomy: topics and tasks that are new to it ask for the usual
        number, those that are gone for nothing."""
        known = {*self.topics}, {*self.tasks}
        keys = [topic.key for topic in taxonomy.topics]
        targets = {
            (topic, task.key): self.targets.get((topic, task.key), 0)
            if topic in known[0] and task.key in known[1]
            else USUAL_TARGET
            for topic in (*keys, UNASSIGNED)
            for task in taxonomy.tasks
        }
        return replace(
            self, taxonomy=taxonomy, targets=targets, left_out=self.left_out & {*keys, UNASSIGNED}
        )


def generate_options(plan: Plan) -> tuple[str, ...]:
    """The options of `ragdesk generate` that a plan stands for: the commonest target for every
    cell, and those that differ by themselves. Documents without a topic are not named."""
    cells = {
        (topic.key, task): plan.target(topic.key, task)
        for topic in plan.taxonomy.topics
        for task in plan.tasks
    }
    (usual, _), *_ = Counter(items for items in cells.values() if items).most_common(1) or [(1, 0)]
    options = ["--corpus", plan.corpus, "--dataset", plan.dataset]
    options += ["--taxonomy", plan.taxonomy.key, "--per-cell", str(usual)]
    for (topic, task), items in cells.items():
        if items != usual:
            options += ["--target", f"{topic}/{task}={items}"]
    return tuple(options)


def usual_targets(taxonomy: Taxonomy) -> dict[Cell, int]:
    """The usual number in every cell; documents that fit no topic are not asked for any."""
    return {
        (topic.key, task.key): USUAL_TARGET for topic in taxonomy.topics for task in taxonomy.tasks
    }


def as_before(corpus: str, dataset: str, taxonomy: Taxonomy, targets: Mapping[Cell, int]) -> Plan:
    """A dataset's plan as its latest generation had it; what that left alone stays left out."""
    topics = {topic for topic, _ in targets}
    tasks = {task for _, task in targets}
    return Plan(
        corpus,
        dataset,
        taxonomy,
        False,
        dict(targets),
        frozenset(topic.key for topic in taxonomy.topics if topic.key not in topics),
        frozenset(task.key for task in taxonomy.tasks if task.key not in tasks),
    )


def _turned(before: frozenset[str], keys: Iterable[str]) -> frozenset[str]:
    named = frozenset(keys)
    return before - named if named <= before else before | named


class PlanEdits:
    """The plan with its past and future. The digits of one number are one step.

    A number begins with the first digit at a place and ends with whatever else is done: going
    elsewhere, another change, undo, another plan.
    """

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.first: Plan | None = None
        """The plan as nobody had changed it."""
        self.typed = ""
        """The number that is being typed; empty where none is."""
        self._place: object = None
        self._before: list[Plan] = []
        self._undone: list[Plan] = []

    @property
    def has_before(self) -> bool:
        """Whether a step can be taken back."""
        return bool(self._before)

    @property
    def has_undone(self) -> bool:
        """Whether one that was taken back can be brought back."""
        return bool(self._undone)

    def begin(self, plan: Plan) -> None:
        """Another plan, from which there is no way back."""
        self.end()
        self._before.clear()
        self._undone.clear()
        self.plan = self.first = plan

    def replace(self, change: Callable[[Plan], Plan]) -> None:
        """Changes what is no edit, such as that the dataset is there now, in every step."""
        if self.plan is not None:
            self.plan = change(self.plan)
        self._before = [change(plan) for plan in self._before]
        self._undone = [change(plan) for plan in self._undone]

    def end(self) -> None:
        """Ends the number that is being typed."""
        self.typed, self._place = "", None

    def change(self, plan: Plan) -> None:
        """A step that undo takes back."""
        self.end()
        self._put(plan)

    def typed_at(self, place: object) -> str:
        """The number that is being typed there; empty where one would begin."""
        return self.typed if place == self._place else ""

    def type(self, place: object, plan: Plan, typed: str) -> None:
        """The plan with the number at a place one digit longer or shorter."""
        if place == self._place:
            self.plan = plan
        else:
            self._put(plan)
        self.typed, self._place = typed, place

    def _put(self, plan: Plan) -> None:
        if self.plan is not None:
            self._before.append(self.plan)
        self._undone.clear()
        self.plan = plan

    def undo(self) -> bool:
        """Whether there was a step to take back."""
        return self._exchange(self._before, self._undone)

    def redo(self) -> bool:
        """Whether there was a step to take again."""
        return self._exchange(self._undone, self._before)

    def _exchange(self, source: list[Plan], other: list[Plan]) -> bool:
        self.end()
        if self.plan is None or not source:
            return False
        other.append(self.plan)
        self.plan = source.pop()
        return True
