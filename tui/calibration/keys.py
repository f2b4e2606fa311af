"""The keys of the Judges screen."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act

ACTIONS: tuple[Action, ...] = (
    act(
        "calibration.axes",
        "b",
        "by",
        "Judges pooled, by metric, tests of two, means of runs, or coverage and failures.",
        in_footer=True,
    ),
    act("calibration.metric", "m", "metric", "One metric, or all of them.", in_footer=True),
    act("calibration.sample", "S", "sample", "All labels, or those of a sample.", in_footer=True),
    act(
        "calibration.recompute",
        "ctrl+r",
        "recompute",
        "Compute the figures again from the current labels.",
        in_footer=True,
    ),
    act(
        "calibration.whole",
        "w",
        "one pane",
        "Only the pane with the focus, or both; Tab changes the focus.",
        in_footer=True,
    ),
)

PLACES: tuple[Place, ...] = (Place("calibration", "Judges", 0, ("rows", "sheet")),)
