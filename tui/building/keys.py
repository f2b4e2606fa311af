"""The keys of Build: quotas, topics, and the jobs that fill them."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked
from tui.shell.signs import WORK, Sign

ACTIONS: tuple[Action, ...] = (
    asked(
        "tui.building.splits:ask_split",
        "split",
        "Assign each accepted item of a dataset to a side, train or test, for good.",
    ),
    asked("tui.building.splits:ask_splits", "show splits", "Every split with its sides and sizes."),
    asked(
        "tui.building.evolving:ask_evolve",
        "evolve",
        "Grow harder items from simple ones (AutoEvolve), by a model or by rule.",
    ),
    asked(
        "tui.building.rounds:ask_round",
        "begin a round",
        "Begin a round of authoring: people write, answer and vet items from documents.",
    ),
    asked(
        "tui.building.rounds:ask_rounds",
        "show rounds",
        "How far the rounds of authoring are, and who does what.",
    ),
    act(
        "build.generate",
        "+",
        "generate",
        "Choose a model, see what it takes, and fill the cells.",
        sense="new",
        in_footer=True,
    ),
    act(
        "build.choose_plan",
        "i",
        "into",
        "Into which dataset, from which corpus, by which taxonomy.",
        in_footer=True,
    ),
    act(
        "build.target",
        "0 1 2 3 4 5 6 7 8 9",
        "target",
        "Items that the cell shall hold; on a group or under all: each of its cells.",
        sense="value",
        in_palette=False,
    ),
    act("build.shorten", "backspace", "shorten", "Take away the last digit.", in_palette=False),
    act(
        "build.leave_out",
        "x",
        "leave out",
        "Leave the topic or group out, or take it in again.",
        sense="exclude",
        in_footer=True,
    ),
    act(
        "build.task",
        "t",
        "task on/off",
        "Leave the task of the column out, or take it in again.",
        run="turn_task",
    ),
    act("build.fold", "<", "fold", "Fold the group of the topic away, or unfold it."),
    act("build.fold_all", ">", "fold all", "Fold every group away, or unfold them all."),
    act("build.undo", "u", "undo", "Take back the last change of a target or of what is left out."),
    act("build.redo", "U", "redo", "Bring back what was undone."),
    act("build.rename", "e", "rename", "Give the topic another name.", sense="edit"),
    act(
        "build.prune",
        "!",
        "prune",
        "Take what is left out of the taxonomy; of a copy where it comes with ragdesk.",
        is_destructive=True,
    ),
    act(
        "build.propose",
        "*",
        "new topics",
        "Have a tree of topics proposed, by words or by a model, or read one from a file.",
    ),
    act(
        "build.classify",
        "C",
        "classify",
        "Give the documents their topics, by words or by a model.",
        in_footer=True,
    ),
    act(
        "build.inspect",
        "I",
        "inspect",
        "Have what is drafted inspected, by the five checks or by a model.",
        run="inspect_drafts",
        in_footer=True,
    ),
    act(
        "build.lineage",
        "^",
        "lineage",
        "How the items of the dataset were evolved, with their difficulty at each step.",
    ),
    act("lineage.whole", "w", "one pane", "The list alone, or with the question.", in_footer=True),
    act("build.pause", "z", "pause/resume", "Stop the job that is under way, or go on."),
    act(
        "build.cancel",
        "X",
        "cancel",
        "Stop the job for good; what is done stays.",
        is_destructive=True,
    ),
)

PLACES: tuple[Place, ...] = (
    Place(
        "build",
        "Build",
        3,
        ("heatmap",),
        signs=(
            Sign("12/20", "Items that are there, of those wanted."),
            Sign("!", "The cell stays short; Enter says why.", "warn"),
            Sign("x", "A topic or task that is left out."),
            Sign("- +", "A group that is unfolded, or folded away."),
            *WORK,
        ),
    ),
    Place("lineage", "Lineage", 0, ("rows", "sheet")),
)
