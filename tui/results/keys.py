"""The keys of the screens on results."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act
from tui.shell.signs import Sign
from tui.shell.theme import SIGNS

MAPS = ("results", "compare")
"""The places with a map of results, whose keys are the same."""

RESULTS: tuple[Action, ...] = (
    act(
        "results.metric",
        "m",
        "metric",
        "Choose the metric that is shown.",
        scopes=MAPS,
        in_footer=True,
    ),
    act("results.run", "r", "run", "Choose the run that is shown.", in_footer=True, run="pick_run"),
    act(
        "results.axes",
        "b",
        "rows/columns",
        "Choose the axes of the rows and the columns.",
        scopes=MAPS,
        in_footer=True,
    ),
    act("results.transpose", "T", "turn", "Swap the rows and the columns.", scopes=MAPS),
    act(
        "results.compare",
        "c",
        "compare",
        "Compare with another run of the dataset.",
        in_footer=True,
    ),
    act("results.bars", "B", "bars", "Runs side by side, topic by topic or task by task."),
    act(
        "results.leaderboard", "L", "leaderboard", "The runs of the dataset, ranked and as a table."
    ),
    act(
        "results.export",
        "E",
        "export",
        "Write what is shown to a file.",
        scopes=MAPS,
        in_footer=True,
    ),
)

COMPARE: tuple[Action, ...] = (
    act(
        "compare.switch",
        "v",
        "sort",
        "Sort the rows by the column of the cursor: best for A first, for B first, as they were.",
        in_footer=True,
    ),
)

BARS: tuple[Action, ...] = (
    act(
        "bars.transpose",
        "T",
        "topic/task",
        "From the topics to the tasks, and back.",
        in_footer=True,
    ),
    act(
        "bars.run",
        "r",
        "runs",
        "Put a run beside the others, or take it away.",
        run="pick_run",
        in_footer=True,
    ),
)

ITEM: tuple[Action, ...] = (
    act("item.next", "]", "item", "The next item of the list.", in_footer=True),
    act("item.previous", "[", "previous item", "The previous item of the list."),
    act(
        "item.next_passage",
        ".",
        "passage",
        "The next piece of evidence or retrieved passage.",
        in_footer=True,
    ),
    act(
        "item.previous_passage",
        ",",
        "previous passage",
        "The previous piece of evidence or passage.",
    ),
    act(
        "item.switch",
        "v",
        "evidence/retrieved",
        "From the evidence to what was retrieved, and back.",
        in_footer=True,
    ),
    act(
        "item.calls",
        '"',
        "what was asked",
        "What stages and judges asked models, and the replies; again: the scores.",
    ),
    act("item.making", "M", "how it was made", "The stages that the item was written in."),
    act(
        "item.whole",
        "w",
        "one pane",
        "Only the pane with the focus, or both; Tab changes the focus.",
        in_footer=True,
    ),
    act(
        "item.find",
        "/",
        "find",
        "Find in the passage, from one character up.",
        in_footer=True,
    ),
    act("item.next_mark", "n", "mark", "The next mark of the passage.", in_footer=True),
    act("item.previous_mark", "N", "previous mark", "The mark before, in the passage."),
)

ACTIONS: tuple[Action, ...] = (*RESULTS, *COMPARE, *BARS, *ITEM)

PLACES: tuple[Place, ...] = (
    Place(
        "results",
        "Results",
        6,
        ("heatmap",),
        signs=(Sign(SIGNS.bad, "Few of the scores that apply are there.", "warn"),),
    ),
    Place(
        "compare",
        "Compare",
        0,
        ("heatmap",),
        signs=(
            Sign("A B", "The run that is better, after Holm's adjustment over the cells."),
            Sign("?", "Too few to tell."),
            Sign("-.20", "B is better: the shade of the errors.", "sign:-0.8"),
            Sign("+.20", "A is better.", "sign:0.8"),
        ),
    ),
    Place("bars", "Bars", 0, ("rows",)),
    Place(
        "leaderboard",
        "Leaderboard",
        0,
        ("rows",),
        signs=(Sign("a b", "Runs with a letter in common are not told apart."),),
    ),
    Place("items", "Items", 0, ("rows",)),
    Place(
        "item",
        "Item",
        0,
        ("sheet", "passage"),
        signs=(
            Sign(SIGNS.good, "Evidence that was retrieved, with its rank.", "good"),
            Sign(SIGNS.bad, "Evidence that was missed, or what failed.", "bad"),
        ),
    ),
)
