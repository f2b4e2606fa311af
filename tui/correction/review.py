"""The review of a correction before it is proposed."""

from __future__ import annotations

from tui.correction.keys import ACTIONS
from tui.correction.revision_diff import DiffScreen
from tui.language import tr
from tui.screens.confirm import Confirm


class ReviewScreen(DiffScreen, actions=ACTIONS):
    """Dismisses with `propose`, `keep`, `discard`, or None to go on editing."""

    PLACE = "review"

    def action_propose(self) -> None:
        self.dismiss("propose")

    def action_keep(self) -> None:
        self.dismiss("keep")

    def action_discard(self) -> None:
        def decided(is_sure: bool | None) -> None:
            if is_sure:
                self.dismiss("discard")

        self.app.push_screen(
            Confirm(
                tr("Throw this correction away?"),
                tr("What was typed is gone then; the text that was shown stays as it is."),
                tr("throw it away"),
            ),
            decided,
        )
