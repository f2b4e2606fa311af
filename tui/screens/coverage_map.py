"""A dataset's coverage as a heat map: how many items each cell of its taxonomy holds."""

from __future__ import annotations

from tui.live.facts import DatasetFact
from tui.widgets.matrix import Heading, HeatCell, Matrix


def coverage_matrix(fact: DatasetFact) -> Matrix:
    """Topics by tasks; whatever is outside of the taxonomy has a row or a column of its own."""
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
        return HeatCell(float(count), count, count / most if count else None)

    def margin(count: int) -> HeatCell:
        return HeatCell(float(count), count)

    return Matrix(
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


def _headings(
    known: list[tuple[str, str, str]], present: set[str], is_chinese: bool
) -> tuple[Heading, ...]:
    labels = {key: zh if is_chinese else en for key, zh, en in known}
    others = sorted(present - labels.keys())
    return tuple(Heading(key, labels.get(key, key)) for key in (*labels, *others))
