"""What a person can do with labels that stand: agreement, conflicts, judges against people, and
exports."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act

_RECOMPUTE = "Compute the figures again, from the labels that stand now."

AGREEMENT: tuple[Action, ...] = (
    act(
        "agreement.axes",
        "b",
        "by",
        "By metric, pair of raters, topic, task, or topics x tasks.",
        in_footer=True,
    ),
    act("agreement.metric", "m", "metric", "One metric, or all of them.", in_footer=True),
    act("agreement.conflicts", "D", "conflicts", "What raters differ on here.", in_footer=True),
    act("agreement.judges", "J", "judges", "Every judge against people.", in_footer=True),
    act("agreement.sample", "S", "sample", "Another form, or a sample of one.", in_footer=True),
    act("agreement.statistic", "&", "statistic", "The statistic that the heat map shows."),
    act("agreement.recompute", "ctrl+r", "recompute", _RECOMPUTE),
    act(
        "agreement.whole",
        "w",
        "one pane",
        "The pane with the focus alone, or both; Tab goes over.",
    ),
)

CONFLICTS: tuple[Action, ...] = (
    act(
        "conflicts.queue",
        "F",
        "which",
        "Which come: of a metric, of two raters, of a cell, or all.",
        in_footer=True,
    ),
)

CALIBRATION: tuple[Action, ...] = (
    act(
        "calibration.axes",
        "b",
        "by",
        "Judges pooled, by metric, tests of two judges, or means of runs.",
        in_footer=True,
    ),
    act("calibration.metric", "m", "metric", "One metric, or all of them.", in_footer=True),
    act("calibration.sample", "S", "sample", "All labels, or those of a sample.", in_footer=True),
    act("calibration.recompute", "ctrl+r", "recompute", _RECOMPUTE, in_footer=True),
    act(
        "calibration.whole",
        "w",
        "one pane",
        "The pane with the focus alone, or both; Tab goes over.",
        in_footer=True,
    ),
)

EXPORT: tuple[Action, ...] = (
    act(
        "export.recompute",
        "ctrl+r",
        "look again",
        "Count again what would be written.",
        in_footer=True,
    ),
)

ACTIONS: tuple[Action, ...] = (*AGREEMENT, *CONFLICTS, *CALIBRATION, *EXPORT)

PLACES: tuple[Place, ...] = (
    Place("agreement", "Agreement", 8, ("rows", "heatmap", "sheet")),
    Place("conflicts", "Conflicts", 0, ("rows",)),
    Place("calibration", "Judges", 0, ("rows", "sheet")),
    Place("export", "Export", 9, ("rows", "sheet")),
)
