"""A dataset's coverage as a heat map: how many items each cell of its taxonomy holds."""

from __future__ import annotations

from collections.abc import Sequence

from engine.prompts.languages import name_in
from store.records import Task, Topic
from tui.language import language
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
    missing = [
        (len({one.key for one in known} - present), name)
        for known, present, name in (
            (fact.taxonomy.topics, {cell.topic for cell in fact.cells}, "topic"),
            (fact.taxonomy.tasks, {cell.task for cell in fact.cells}, "task"),
        )
    ]
    parts = [f"{count} {name}{'s' if count > 1 else ''}" for count, name in missing if count]
    return f"{' and '.join(parts)} without items" if parts else ""


def _headings(known: Sequence[Topic | Task], present: set[str]) -> tuple[Heading, ...]:
    labels = {topic_or_task.key: name_in(language(), topic_or_task) for topic_or_task in known}
    others = sorted(present - labels.keys())
    return tuple(Heading(key, labels.get(key, key)) for key in (*labels, *others))
