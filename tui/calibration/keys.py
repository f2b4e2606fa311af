"""The keys of the Judges screen."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked

ACTIONS: tuple[Action, ...] = (
    asked(
        "tui.calibration.training:ask_train",
        "train a judge",
        "Teach a light judge by the labels that people gave to answers.",
    ),
    act(
        "calibration.axes",
        "b",
        "view",
        "Judges pooled, by metric, tests of two, means of runs, coverage and failures, or audits.",
        in_footer=True,
    ),
    act(
        "calibration.audit",
        "+",
        "audit",
        "Ask how far to trust the judge: its labels and probes, in one verdict.",
        sense="new",
        in_footer=True,
    ),
    act("calibration.export", "E", "export", "Write the card of the judge's audit to a file."),
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
    ),
)

PLACES: tuple[Place, ...] = (Place("calibration", "Judges", 0, ("rows", "sheet")),)
