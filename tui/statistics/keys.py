"""The keys of the Statistics and Progress screens."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked

ACTIONS: tuple[Action, ...] = (
    act(
        "statistics.axes",
        "b",
        "group by",
        "By cell, topic, task, rater, model, prompt; or how reliable raters are, by period.",
        scopes=("statistics", "reliability"),
        in_footer=True,
    ),
    act("statistics.export", "E", "export", "Write the figures to a file.", in_footer=True),
    act(
        "statistics.progress",
        "#",
        "progress map",
        "How far every cell is towards its target.",
        in_footer=True,
    ),
    asked(
        "tui.statistics.known:ask_known",
        "known questions",
        "Mix attention or training questions, whose answers are known, into a sample.",
    ),
    act(
        "progress.queue",
        "F",
        "sample",
        "Choose the sample: one, or all of the form.",
        in_footer=True,
    ),
    act(
        "progress.new_sample",
        "+",
        "new sample",
        "Draw a sample to be labelled.",
        sense="new",
        in_footer=True,
    ),
)

PLACES: tuple[Place, ...] = (
    Place("statistics", "Statistics", 0, ("heatmap", "rows")),
    Place("reliability", "Reliability", 0, ("rows",)),
    Place("judged", "Judged", 0, ("rows",)),
    Place("progress", "Progress", 0, ("heatmap",)),
)
