"""The stages that an item was made in, over the screen that shows the item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from engine.generate.making import MadeStage
from tui.widgets.line import Piece
from tui.widgets.sheet import Block, Lay, Sheet, lay_blocks

NO_STAGES = "This item was not made in stages."


class MakingScreen(ModalScreen[None]):
    """Enter or Esc closes it."""

    DEFAULT_CSS = """
    MakingScreen { align: center middle; }
    MakingScreen > Vertical {
        width: 94%; max-width: 120; height: 90%; padding: 1 2; background: $panel;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter", "dismiss", show=False)]

    def __init__(self, stages: Sequence[MadeStage], item: str) -> None:
        super().__init__()
        self.stages = stages
        self.sheet = Sheet(title=f"how {item} was made   Esc closes")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.sheet

    def on_mount(self) -> None:
        self.sheet.show(making_lay(self.stages))
        self.sheet.focus()


def making_lay(stages: Sequence[MadeStage]) -> Lay:
    """The lines of all stages, each below its name."""

    def lay(width: int) -> list[list[Piece]]:
        if not stages:
            return lay_blocks([Block("", NO_STAGES, "muted")], width)
        lines: list[list[Piece]] = []
        for number, stage in enumerate(stages, 1):
            blocks = [Block("", f"{number} {stage.name}", "header")]
            if stage.problem:
                blocks.append(Block("", f"asked again: {stage.problem}", "warn"))
            blocks += [Block("", text) for text in stage.lines]
            lines += [*lay_blocks(blocks, width), []]
        return lines[:-1]

    return lay
