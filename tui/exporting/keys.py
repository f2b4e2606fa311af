"""The keys of the Export screen."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked
from tui.shell.signs import Sign
from tui.shell.theme import SIGNS

ACTIONS: tuple[Action, ...] = (
    asked(
        "tui.exporting.report:ask_report",
        "report page",
        "Write a page on runs for a browser (HTML), down to items with passages and reasons.",
    ),
    act(
        "export.recompute",
        "ctrl+r",
        "look again",
        "Count again what would be written.",
        in_footer=True,
    ),
)

PLACES: tuple[Place, ...] = (
    Place(
        "export",
        "Export",
        9,
        ("rows", "sheet"),
        signs=(
            Sign(SIGNS.good, "What was written and checked.", "good"),
            Sign(SIGNS.bad, "What does not agree with its manifest.", "bad"),
        ),
    ),
)
