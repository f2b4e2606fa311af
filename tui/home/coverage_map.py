"""A dataset's coverage as a heat map: how many items each cell of its taxonomy holds."""

from __future__ import annotations

from collections.abc import Sequence

from store.messages import plural
from store.records import Task, Topic
from tui.language import local_name, tr
from tui.live.facts import DatasetFact
from tui.widgets.matrix import Heading, HeatCell, Matrix, without_empty


def coverage_matrix(fact: DatasetFact) -> Matrix:
    """Topics by tasks; whatever is outside of the taxonomy has a row or a column of its own.

    Topics and tasks without any item are left out; `empty_parts` says how many they are.
    """
    counts = {(cell.topic, cell.task): cell.items for cell in fact.cells}
    if not counts:
        return Matrix()
    topics = _headings(fact.taxonomy.topics, {topic for topic, _ in counts})
    tasks = _headings(fact.taxonomy.tasks, {task for _, task in counts})
    most = max(counts.values())

    def cell(count: int) -> HeatCell:
        return HeatCell(float(count), count, count / most) if count else HeatCell()

    def margin(count: int) -> HeatCell:
        return HeatCell(float(count), count)

    every_cell = Matrix(
        rows=topics,
        columns=tasks,
        cells=tuple(
            tuple(cell(counts.get((topic.key, task.key), 0)) for task in tasks) for topic in topics
        ),
        row_totals=tuple(
            margin(sum(counts.get((topic.key, task.key), 0) for task in tasks)) for topic in topics
        ),
        column_totals=tuple(
            margin(sum(counts.get((topic.key, task.key), 0) for topic in topics)) for task in tasks
        ),
        total=margin(sum(counts.values())),
        shows_n=False,
    )
    return without_empty(every_cell)


def empty_parts(fact: DatasetFact) -> str:
    """`3 topics and 1 task have none`; empty when every topic and task has an item."""
    topics = len({topic.key for topic in fact.taxonomy.topics} - {one.topic for one in fact.cells})
    tasks = len({task.key for task in fact.taxonomy.tasks} - {one.task for one in fact.cells})
    parts = [plural(topics, "topic")] * bool(topics) + [plural(tasks, "task")] * bool(tasks)
    if len(parts) == 2:
        return tr("{topics} and {tasks} without items", topics=parts[0], tasks=parts[1])
    return tr("{parts} without items", parts=parts[0]) if parts else ""


def _headings(known: Sequence[Topic | Task], present: set[str]) -> tuple[Heading, ...]:
    labels = {topic_or_task.key: local_name(topic_or_task) for topic_or_task in known}
    others = sorted(present - labels.keys())
    return tuple(Heading(key, labels.get(key, tr(key))) for key in (*labels, *others))
