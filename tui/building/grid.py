"""The quota matrix: of every topic and task, how many items there are of how many wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from engine.generate.filling.shortfall import shortfall_text
from engine.prompts.languages import by_lang
from store.datasets.generation_figures import CellProgress
from store.messages import plural
from store.records import UNASSIGNED, Taxonomy
from tui.building.figures import Figures
from tui.building.plan import Cell, Plan
from tui.language import language, local_name, read, tr
from tui.widgets.matrix import Heading, HeatCell, Matrix

DOCUMENTS = "documents"
"""Key of the column that counts the documents of a topic."""
SHORT = "!"
"""Behind a cell that cannot reach its target, as far as its last generation could see."""

UNCOUNTED = HeatCell(text="?")
"""A count that is being read."""
GROUP = "group:"
"""Before the name of a group, in the key of its row."""


def quota_matrix(plan: Plan, figures: Figures, rows: Sequence[TreeRow], folded: Set[str]) -> Matrix:
    """Rows as the tree has them; groups add up what lies below them, margins say it in percent."""
    names = task_names(plan.taxonomy)
    tasks = plan.tasks
    columns = (
        Heading(DOCUMENTS, tr("docs")),
        *(Heading(task, f"x {names[task]}" if task in plan.off else names[task]) for task in tasks),
    )
    return Matrix(
        rows=tuple(Heading(row.key, _label(row, plan, folded)) for row in rows),
        columns=columns,
        cells=tuple(
            (
                _documents(figures, row.topics),
                *(_cell(plan, figures, row, task) for task in tasks),
            )
            for row in rows
        ),
        row_totals=tuple(
            _share(plan, figures, [(topic, task) for topic in row.topics for task in tasks])
            for row in rows
        ),
        column_totals=(
            _documents(figures, plan.topics),
            *(_share(plan, figures, [(topic, task) for topic in plan.topics]) for task in tasks),
        ),
        total=_share(plan, figures, [(topic, task) for topic in plan.topics for task in tasks]),
        shows_n=False,
    )


def cell_words(progress: CellProgress | None) -> str:
    """What the last generation made of a cell: why it is short, or how many attempts it took."""
    if progress is None:
        return ""
    if progress.lack is not None:
        return tr("short: {reason}", reason=shortfall_text(progress))
    attempts = plural(progress.attempts, "attempt")
    if progress.pending:
        return tr("{attempts}, {n} under way", attempts=attempts, n=progress.pending)
    return read(attempts) if progress.attempts else ""


def amount(filled: int, target: int) -> str:
    """`12/20`; what is there where nothing is asked for."""
    if target:
        return f"{filled}/{target}"
    return str(filled) if filled else "-"


def _label(row: TreeRow, plan: Plan, folded: Set[str]) -> str:
    if row.is_group:
        return f"{'+' if row.group in folded else '-'} {row.name}"
    return f"{'x' if row.key in plan.left_out else ' '} {row.name}"


def _documents(figures: Figures, topics: Iterable[str]) -> HeatCell:
    if not figures.is_known:
        return UNCOUNTED
    count = sum(figures.documents.get(topic, 0) for topic in topics)
    return HeatCell(float(count), count, text=f"{count}")


def _cell(plan: Plan, figures: Figures, row: TreeRow, task: str) -> HeatCell:
    if row.is_group:
        return _sum(plan, figures, [(topic, task) for topic in row.topics])
    if not figures.is_known:
        target = plan.target(row.key, task)
        return HeatCell(0.0, text=f"?/{target}") if target else UNCOUNTED
    filled, target = figures.filled.get((row.key, task), 0), plan.target(row.key, task)
    progress = figures.cells.get((row.key, task))
    is_short = progress is not None and progress.lack is not None and filled < target
    return HeatCell(
        float(filled) if filled or target else None,
        0,
        min(filled / target, 1.0) if target else None,
        note=cell_words(progress) if target or filled else "",
        mark=SHORT if is_short else "",
        text=amount(filled, target),
    )


def _sum(plan: Plan, figures: Figures, cells: Sequence[Cell]) -> HeatCell:
    if not figures.is_known:
        return UNCOUNTED
    filled, target = added(plan, figures, cells)
    return HeatCell(float(filled) if target else None, 0, text=amount(filled, target))


def _share(plan: Plan, figures: Figures, cells: Sequence[Cell]) -> HeatCell:
    if not figures.is_known:
        return UNCOUNTED
    filled, target = added(plan, figures, cells)
    if not target:
        return HeatCell()
    # rounded down: 100% is full
    note = tr("{filled:,} of {target:,} items", filled=filled, target=target)
    return HeatCell(float(filled), 0, note=note, text=f"{100 * filled // target}%")


def added(plan: Plan, figures: Figures, cells: Iterable[Cell]) -> tuple[int, int]:
    """Items that count towards the targets of some cells, and those targets: what a cell holds
    over its own target fills no other."""
    pairs = [(figures.filled.get(cell, 0), plan.target(*cell)) for cell in cells]
    return sum(min(pair) for pair in pairs), sum(target for _, target in pairs)


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


def group_rows(taxonomy: Taxonomy) -> dict[str, tuple[str, ...]]:
    """Topic keys by the name of their group, in the order of the taxonomy; '' for none."""
    groups: dict[str, list[str]] = {}
    for topic in taxonomy.topics:
        groups.setdefault(by_lang(language(), topic.group_zh, topic.group_en), []).append(topic.key)
    return {name: tuple(keys) for name, keys in groups.items()}


def tree_rows(taxonomy: Taxonomy, folded: Set[str]) -> list[TreeRow]:
    """Groups with the topics that are not folded away below them; unassigned at the end.

    Groups are left out where no topic has one.
    """
    names = topic_names(taxonomy)
    rows: list[TreeRow] = []
    for group, keys in group_rows(taxonomy).items():
        if group:
            rows.append(TreeRow(GROUP + group, group, keys, group))
        if group not in folded:
            rows += [TreeRow(key, names[key], (key,), group) for key in keys]
    return [*rows, TreeRow(UNASSIGNED, names[UNASSIGNED], (UNASSIGNED,))]


def topic_names(taxonomy: Taxonomy) -> Mapping[str, str]:
    """What each topic is called, by key."""
    names = {topic.key: local_name(topic) for topic in taxonomy.topics}
    return {**names, UNASSIGNED: tr("no topic")}


def task_names(taxonomy: Taxonomy) -> Mapping[str, str]:
    """What each task is called, by key."""
    return {task.key: local_name(task) for task in taxonomy.tasks}
