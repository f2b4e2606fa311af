"""Inspect: one item after the other, read beside its evidence, scored and corrected."""

from __future__ import annotations

from tui.label.desk import LabelDesk
from tui.label.keys import ACTIONS
from tui.label.queue.samples import full_text, others_text
from tui.language import tr
from tui.live.facts import INSPECTION


class InspectScreen(LabelDesk, actions=ACTIONS):
    PLACE = "inspect"

    def __init__(self) -> None:
        super().__init__(INSPECTION)

    def empty_text(self) -> str:
        return tr(
            "{others_text}No item waits for you. {full_text}+ draws a sample of drafts, "
            "or of items in other states. What arrives shows here by itself.",
            others_text=others_text(self.host, INSPECTION),
            full_text=full_text(self.host, INSPECTION),
        )
