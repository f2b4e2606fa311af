"""How the items of a dataset were evolved: every question of a family, with its difficulty."""

from __future__ import annotations

from collections.abc import Sequence

from engine.difficulty.formulas import difficulty
from store.datasets import datasets, lineages
from store.datasets.lineages import Family, LineageStep
from store.messages import plural
from tui.building.keys import ACTIONS
from tui.language import tr
from tui.screens.list_and_details import ListAndDetails
from tui.screens.sheet import SheetScreen
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.sheet import Block, lay_blocks

_COLUMNS = (
    Column("family", 6, "right"),
    Column("step", 4, "right"),
    Column("operation", 23),
    Column("from", 7, drop=1),
    Column("RD", 6, "right", drop=2),
    Column("GD", 6, "right", drop=2),
    Column("RGD", 6, "right"),
    Column("became", 9),
    Column("question", minimum=16),
)


class LineageScreen(ListAndDetails, actions=ACTIONS):
    PLACE = "lineage"

    def __init__(self, dataset: str) -> None:
        super().__init__(details=tr("Question"))
        self.name_of_dataset = dataset
        self.steps: dict[str, tuple[Family, LineageStep]] = {}
        self.weights: dict[int, float] = {}

    def context(self) -> tuple[str, ...]:
        return (self.name_of_dataset,)

    def command(self) -> Sequence[str]:
        return ("lineage", self.name_of_dataset)

    def on_mount(self) -> None:
        super().on_mount()
        self.host.in_thread(
            "reading the lineages",
            lambda workspace: (
                families := lineages.of_dataset(
                    workspace.db, datasets.get(workspace.db, self.name_of_dataset).id
                ),
                {
                    job: float(lineages.settings(workspace.db, job)["weight"])
                    for job in {family.job_id for family in families}
                },
            ),
            self._show,
        )

    def _show(self, read: tuple[Sequence[Family], dict[int, float]]) -> None:
        families, self.weights = read
        begun = [family for family in families if family.steps[0].content is not None]
        self.steps = {
            f"{family.job_id}/{family.number}/{step.number}": (family, step)
            for family in begun
            for step in family.steps
        }
        evolved = sum(
            any(step.item_id is not None and step.parents for step in family.steps)
            for family in begun
        )
        families_text = plural(len(begun), "family", "families")
        self.caption.show(
            [
                [
                    (
                        tr("Lineages of {name_of_dataset}", name_of_dataset=self.name_of_dataset),
                        "strong",
                    )
                ],
                [
                    (
                        tr(
                            "{families_text}, {evolved:,} with evolved items",
                            families_text=families_text,
                            evolved=evolved,
                        ),
                        "",
                    )
                ],
            ]
        )
        rows = [self._row(key, *one) for key, one in self.steps.items()]
        self.list.set_source(ListSource(rows), _COLUMNS)

    def _row(self, key: str, family: Family, step: LineageStep) -> Row:
        question = step.reason if step.content is None else step.content.turns[0].question
        is_item = step.item_id is not None
        return Row(
            key,
            (
                f"{family.number}" if step.number == 0 else "",
                f"{step.number}",
                Cell(step.operation, "strong" if is_item else ""),
                "+".join(map(str, step.parents)),
                _figure(step.rd),
                _figure(step.gd),
                _figure(self._hardness(family, step)),
                Cell("item" if is_item else step.outcome, "" if is_item else "muted"),
                Cell(question, "" if step.content is not None else "muted"),
            ),
        )

    def _hardness(self, family: Family, step: LineageStep) -> float | None:
        if step.rd is None or step.gd is None:
            return None
        return difficulty(step.rd, step.gd, self.weights[family.job_id])

    @property
    def current(self) -> tuple[Family, LineageStep] | None:
        row = self.list.current
        return None if row is None else self.steps.get(str(row.key))

    def show_details(self) -> None:
        if self.current is not None:
            title, blocks = self._described(*self.current)
            self.details.show(lambda width: lay_blocks(blocks, width), title=title)

    def enter_details(self) -> None:
        """Opens the question with all that its step says, on the whole screen."""
        if self.current is not None:
            title, blocks = self._described(*self.current)
            self.app.push_screen(SheetScreen(title, lambda width: lay_blocks(blocks, width)))

    @staticmethod
    def _described(family: Family, step: LineageStep) -> tuple[str, list[Block]]:
        blocks: list[Block] = []
        if step.reason:
            blocks.append(Block("rejected", step.reason, "warn"))
        if step.entity:
            blocks.append(Block("entity", step.entity))
        if step.content is not None:
            turn = step.content.turns[0]
            blocks.append(Block("question", turn.question, "strong"))
            blocks.append(Block("answer", turn.golden_answers[0]))
            for at, point in enumerate(turn.keypoints):
                blocks.append(Block("" if at else "keypoints", point))
            for at, unit in enumerate(turn.evidence):
                text = unit.quote or tr("a whole document")
                blocks.append(Block("" if at else "key sentences", text, "muted"))
        for number in step.parents:
            parent = family.steps[number]
            if parent.content is not None:
                asked = parent.content.turns[0].question
                blocks.append(
                    Block(tr("from {number}", number=number), f"{parent.operation}: {asked}")
                )
        return tr(
            "Family {family}, step {step}: {operation}",
            family=family.number,
            step=step.number,
            operation=step.operation,
        ), blocks


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
