"""The keys of the Runs screen."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked
from tui.shell.signs import WORK

ACTIONS: tuple[Action, ...] = (
    act(
        "runs.new",
        "+",
        "new run",
        "Choose a system and a release, and start.",
        run="app.new_run",
        in_footer=True,
    ),
    act(
        "runs.pause",
        "z",
        "pause/resume",
        "Pause the job, resume it, or try again what failed in it.",
        in_footer=True,
    ),
    act(
        "runs.cancel",
        "X",
        "cancel",
        "Cancel the job; finished work stays.",
        in_footer=True,
        is_destructive=True,
    ),
    act(
        "runs.experiments",
        "_",
        "experiments",
        "The experiments, with what came of them.",
        in_palette=False,
    ),
    act(
        "experiments.new",
        "+",
        "new experiment",
        "Compare variants of a system, of your own choice or as a paper did.",
        in_footer=True,
        in_palette=False,
    ),
    act(
        "experiments.pause",
        "z",
        "start/pause",
        "Start the experiment, pause it, resume it, or try again what failed in it.",
        in_footer=True,
    ),
    act(
        "experiments.cancel",
        "X",
        "cancel",
        "Cancel the experiment's job; finished work stays.",
        in_footer=True,
        is_destructive=True,
    ),
    act("experiments.axes", "b", "group by", "Recommend by task or by topic.", in_footer=True),
    asked(
        "tui.runs.experiments:ask_experiments",
        "experiments",
        "The experiments, with their arms and what to take for which task.",
    ),
    asked(
        "tui.runs.experiments:ask_new_experiment",
        "new experiment",
        "Compare variants of a system: a grid, one at a time, halving, or a paper's recipe.",
    ),
)

PLACES: tuple[Place, ...] = (
    Place("runs", "Runs", 5, ("rows", "sheet"), signs=WORK),
    Place("experiments", "Experiments", 0, ("rows",)),
)
