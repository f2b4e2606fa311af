"""The stages that an item was made in, over the screen that shows the item."""

from __future__ import annotations

from collections.abc import Sequence

from engine.generate.making import MadeStage
from tui.language import tr
from tui.screens.sheet import SheetScreen
from tui.widgets.line import Piece
from tui.widgets.sheet import Block, Lay, lay_blocks

NO_STAGES = tr("This item was not made in stages.")


class MakingScreen(SheetScreen):
    """The stages of one item."""

    def __init__(self, stages: Sequence[MadeStage], item: str) -> None:
        super().__init__(tr("how {item} was made", item=item), making_lay(stages))
        self.stages = stages


def making_lay(stages: Sequence[MadeStage]) -> Lay:
    """The lines of all stages, each below its name."""

    def lay(width: int) -> list[list[Piece]]:
        if not stages:
            return lay_blocks([Block("", NO_STAGES, "muted")], width)
        lines: list[list[Piece]] = []
        for number, stage in enumerate(stages, 1):
            blocks = [Block("", f"{number} {stage.name}", "header")]
            if stage.problem:
                blocks.append(
                    Block("", tr("asked again: {problem}", problem=stage.problem), "warn")
                )
            blocks += [Block("", text) for text in stage.lines]
            lines += [*lay_blocks(blocks, width), []]
        return lines[:-1]

    return lay
