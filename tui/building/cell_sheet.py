"""A cell, row or column of the quota matrix in full: what is there, what was tried, why no more."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from engine.generate.filling.shortfall import lost_words, shortfalls, state_words
from engine.prompts.languages import by_lang
from store.datasets import generation_figures
from store.datasets.generation_figures import CellProgress, Rejection
from store.datasets.generations import KEPT
from store.messages import plural
from tui.building.figures import Figures
from tui.building.grid import task_names, topic_names
from tui.building.plan import Cell, Plan
from tui.language import language, tr
from tui.widgets.sheet import Block, Lay, Sheet, lay_blocks

REJECTIONS_OF_A_CELL = 12


class Chosen(NamedTuple):
    """What the cursor is on: one cell, or all of a group, row or column."""

    title: str
    topics: tuple[str, ...]
    tasks: tuple[str, ...]

    @property
    def cells(self) -> list[Cell]:
        return [(topic, task) for topic in self.topics for task in self.tasks]


class CellSheet(ModalScreen[None]):
    """Enter or Esc closes it; what it says follows the job while it is open."""

    DEFAULT_CSS = """
    CellSheet { align: center middle; }
    CellSheet > Vertical {
        width: 94%; max-width: 104; height: 80%; padding: 1 2; background: $panel;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter", "dismiss", show=False)]

    def __init__(self, chosen: Chosen) -> None:
        super().__init__()
        self.chosen = chosen
        self.sheet = Sheet(title=chosen.title)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.sheet

    def on_mount(self) -> None:
        self.sheet.focus()

    def show(self, lay: Lay) -> None:
        """Say this from now on."""
        self.sheet.show(lay, title=self.chosen.title, from_top=False)


def read_rejections(db: sqlite3.Connection, job_id: int | None, chosen: Chosen) -> list[Rejection]:
    """The latest reasons of a single cell; none for more than one."""
    if job_id is None or len(chosen.cells) != 1:
        return []
    (cell,) = chosen.cells
    return generation_figures.rejections(db, job_id, *cell, REJECTIONS_OF_A_CELL)


def cell_lay(
    chosen: Chosen,
    plan: Plan,
    figures: Figures,
    rejections: Sequence[Rejection],
) -> Lay:
    """The lines of the sheet: what is wanted, what is there, what was tried, why not more."""
    progress = [figures.cells[cell] for cell in chosen.cells if cell in figures.cells]
    blocks = [
        *_wanted(chosen, plan),
        *_there(chosen, plan, figures),
        *_tried(progress, figures),
        *_short(chosen, plan, progress),
    ]
    reasons = [
        Block(lost.what.replace("_", " "), f"{lost.reason}  ({lost.document})")
        for lost in rejections
    ]

    def lay(width: int) -> list[list[tuple[str, str]]]:
        lines = lay_blocks(blocks, width)
        if reasons:
            lines += [
                [],
                [(tr("the latest that gave nothing"), "header")],
                *lay_blocks(reasons, width),
            ]
        return lines

    return lay


def _wanted(chosen: Chosen, plan: Plan) -> list[Block]:
    # the rules hold dictionaries of words, which no other screen needs
    from engine.generate.rules.drafting import builder_of

    blocks = []
    if len(chosen.topics) == 1:
        blocks.append(Block("topic", topic_names(plan.taxonomy)[chosen.topics[0]]))
    if len(chosen.tasks) == 1:
        (task,) = (task for task in plan.taxonomy.tasks if task.key == chosen.tasks[0])
        blocks.append(Block("task", task_names(plan.taxonomy)[task.key]))
        requirement = by_lang(language(), task.requirement_zh, task.requirement_en)
        if requirement:
            blocks.append(Block("asks for", requirement))
        if builder_of(task) is None:
            blocks.append(Block("written by", tr("a model only: no rule writes it well enough")))
    return blocks


def _there(chosen: Chosen, plan: Plan, figures: Figures) -> list[Block]:
    if not figures.is_known:
        return [Block("items", tr("being counted"), "muted")]
    filled = sum(figures.filled.get(cell, 0) for cell in chosen.cells)
    target = sum(plan.target(*cell) for cell in chosen.cells)
    documents = sum(figures.documents.get(topic, 0) for topic in chosen.topics)
    return [
        Block("items", tr("{filled:,} of {target:,} wanted", filled=filled, target=target)),
        Block(
            "documents",
            tr("{documents:,} have {topics}", documents=documents, topics=_topics(chosen)),
        ),
    ]


def _topics(chosen: Chosen) -> str:
    return tr("the topic") if len(chosen.topics) == 1 else tr("one of the topics")


def _tried(progress: Sequence[CellProgress], figures: Figures) -> list[Block]:
    if not figures.is_known:
        return []
    if not progress:
        return [Block("tried", tr("nothing yet: no generation has had this cell"))]
    states: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    for cell in progress:
        states.update(cell.states)
        outcomes.update(cell.outcomes)
    attempts = sum(cell.attempts for cell in progress)
    under_way = sum(cell.pending for cell in progress)
    tried = [plural(attempts, "attempt"), *state_words(states)]
    if under_way:
        tried.append(tr("{under_way} under way", under_way=under_way))
    made = [tr("{outcomes:,} kept", outcomes=outcomes[KEPT]), *lost_words(outcomes)]
    if outcomes.get("surplus"):
        made.append(tr("{surplus} more than the target", surplus=outcomes["surplus"]))
    return [
        Block("last job", tr("{job} by {model}", job=figures.job, model=figures.model)),
        Block("tried", ", ".join(tried)),
        Block("items made", ", ".join(made)),
    ]


def _short(chosen: Chosen, plan: Plan, progress: Sequence[CellProgress]) -> list[Block]:
    short = [cell for cell in progress if cell.filled < plan.target(cell.topic, cell.task)]
    topics = topic_names(plan.taxonomy)
    tasks = task_names(plan.taxonomy)
    blocks = []
    for lack in shortfalls(short):
        place = [] if len(chosen.topics) == 1 else [topics.get(lack.topic, lack.topic)]
        if len(chosen.tasks) > 1:
            place.append(
                ", ".join(tasks.get(task, task) for task in lack.tasks) or tr("every task")
            )
        where = " x ".join(place)
        blocks.append(Block("short", f"{where}: {lack.reason}" if where else lack.reason, "warn"))
    return blocks
