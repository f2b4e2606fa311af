"""The keys of the Home screen."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked
from tui.shell.signs import WORK

ACTIONS: tuple[Action, ...] = (
    asked("tui.home.rater:ask_rater", "change rater", "Go on under the name of another rater."),
    act(
        "home.new",
        "+",
        "new run",
        "Choose a system and a release, and start.",
        run="app.new_run",
        in_footer=True,
    ),
    act("home.pause", "z", "pause/resume", "Pause or resume the job of the line."),
)

PLACES: tuple[Place, ...] = (Place("home", "Home", 1, ("rows", "heatmap"), signs=WORK),)
