"""A dataset's coverage as a heat map: how many items each cell of its taxonomy holds."""

from __future__ import annotations

from tui.live.facts import DatasetFact
from tui.widgets.matrix import Heading, HeatCell, Matrix, without_empty


def coverage_matrix(fact: DatasetFact) -> Matrix:
    """Topics by tasks; whatever is outside of the taxonomy has a row or a column of its own.

    Topics and tasks without any item are left out; `empty_parts` says how many they are.
    """
    counts = {(cell.topic, cell.task): cell.items for cell in fact.cells}
    if not counts:
        return Matrix()
    topics = _headings(
        [(one.key, one.zh, one.en) for one in fact.taxonomy.topics],
        {topic for topic, _ in counts},
        fact.is_chinese,
    )
    tasks = _headings(
        [(one.key, one.zh, one.en) for one in fact.taxonomy.tasks],
        {task for _, task in counts},
        fact.is_chinese,
    )
    most = max(counts.values())

    def cell(count: int) -> HeatCell:
        return HeatCell(float(count), count, count / most) if count else HeatCell()

    def margin(count: int) -> HeatCell:
        return HeatCell(float(count), count)

    whole = Matrix(
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
    return without_empty(whole)


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


def _headings(
    known: list[tuple[str, str, str]], present: set[str], is_chinese: bool
) -> tuple[Heading, ...]:
    labels = {key: zh if is_chinese else en for key, zh, en in known}
    others = sorted(present - labels.keys())
    return tuple(Heading(key, labels.get(key, key)) for key in (*labels, *others))
