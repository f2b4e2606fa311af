"""Inspect: one item after the other, read beside its evidence, scored and corrected."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from tui.label.desk import LabelDesk
from tui.label.keys import ACTIONS
from tui.label.queue.samples import full_text, others_text
from tui.language import tr
from tui.live.facts import INSPECTION
from tui.shell.actions import bindings


class InspectScreen(LabelDesk):
    PLACE = "inspect"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("inspect", ACTIONS)]

    def __init__(self) -> None:
        super().__init__(INSPECTION)

    def empty_text(self) -> str:
        return tr(
            "{others_text}No item waits for you. {full_text}+ draws a sample of drafts, "
            "or of items in other states. What arrives shows here by itself.",
            others_text=others_text(self.host, INSPECTION),
            full_text=full_text(self.host, INSPECTION),
        )
