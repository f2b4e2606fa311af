"""The keys of the Agreement screen and of the list of conflicts."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act

AGREEMENT: tuple[Action, ...] = (
    act(
        "agreement.axes",
        "b",
        "group by",
        "By metric, pair of raters, topic, task, or topics x tasks.",
        in_footer=True,
    ),
    act("agreement.metric", "m", "metric", "One metric, or all of them.", in_footer=True),
    act("agreement.conflicts", "D", "conflicts", "Conflicts between raters here.", in_footer=True),
    act("agreement.judges", "J", "judges", "Every judge compared with people.", in_footer=True),
    act("agreement.sample", "S", "sample", "Another form, or a sample of one.", in_footer=True),
    act("agreement.statistic", "&", "statistic", "The statistic that the heat map shows."),
    act(
        "agreement.recompute",
        "ctrl+r",
        "recompute",
        "Compute the figures again from the current labels.",
    ),
    act(
        "agreement.whole",
        "w",
        "one pane",
        "Only the pane with the focus, or both; Tab changes the focus.",
    ),
)

CONFLICTS: tuple[Action, ...] = (
    act(
        "conflicts.queue",
        "F",
        "which",
        "Show the conflicts of a metric, of two raters, of a cell, or all.",
        in_footer=True,
    ),
)

ACTIONS: tuple[Action, ...] = (*AGREEMENT, *CONFLICTS)

PLACES: tuple[Place, ...] = (
    Place("agreement", "Agreement", 8, ("rows", "heatmap", "sheet")),
    Place("conflicts", "Conflicts", 0, ("rows",)),
)
