"""The app's actions and the keys they are on; `tui.shell.actions` makes everything else from them.

Digits are for values and for `g`. Lower-case letters act on what the cursor is on, capitals do
what leaves the screen or is hard to undo. `clashes` is empty for all of these together.
"""

from __future__ import annotations

from textual.binding import Binding

from tui.agreement import keys as outcome_keys
from tui.building import keys as building_keys
from tui.correction import keys as correction_keys
from tui.label import keys as judging_keys
from tui.shell.actions import Action, Place, Registry, act
from tui.statistics import keys as statistics_keys

_LISTS = ("rows", "heatmap", "passage", "sheet", "help")

COMMON: tuple[Action, ...] = (
    act("everywhere.help", "?", "keys", "Every key that works here.", run="app.show_keys"),
    act("everywhere.go", "g", "go to", "Then a digit: go to that place.", run="app.go_to"),
    act(
        "everywhere.command_palette",
        "ctrl+p",
        "commands",
        "Find any command by name.",
        run="app.command_palette",
        in_palette=False,
    ),
    act("everywhere.back", "escape", "back", "One step back; nothing is lost.", run="app.back"),
    act(
        "everywhere.light",
        "ctrl+t",
        "light/dark",
        "Light or dark colours.",
        run="app.switch_theme",
    ),
    act(
        "everywhere.redraw",
        "ctrl+l",
        "redraw",
        "Draw everything again, after something else has written on the terminal.",
        run="app.redraw",
        works_over_questions=True,
    ),
    act(
        "everywhere.providers",
        "P",
        "providers",
        "Models at endpoints: add, change and test them.",
        run="app.show_providers",
    ),
    act(
        "everywhere.quit",
        "ctrl+q",
        "quit",
        "Leave; jobs go on.",
        run="app.quit",
        works_over_questions=True,
    ),
)
"""What works in every place. The app implements show_keys, show_providers, redraw, go_to, back
and go."""

MOVEMENT: tuple[Action, ...] = tuple(
    act(f"move.{verb}", keys, label, help, scopes=scopes, in_palette=False, run=f"move('{verb}')")
    for verb, keys, label, help, scopes in (
        ("down", "down j", "down", "One line, row or field down.", (*_LISTS, "form")),
        ("up", "up k", "up", "One line, row or field up.", (*_LISTS, "form")),
        ("right", "right l", "right", "One column to the right.", ("heatmap",)),
        ("left", "left h", "left", "One column to the left.", ("heatmap",)),
        ("page_down", "pagedown", "page down", "One page down.", (*_LISTS, "form")),
        ("page_up", "pageup", "page up", "One page up.", (*_LISTS, "form")),
        ("first", "home", "first", "The first line, row or column.", (*_LISTS, "form")),
        ("last", "end", "last", "The last line, row or column.", (*_LISTS, "form")),
    )
)
"""How the cursor moves, in every widget that has one."""

WIDGETS: tuple[Action, ...] = (
    act(
        "widget.open",
        "enter",
        "open",
        "Open what the cursor is on.",
        scopes=("rows", "heatmap"),
        run="choose",
        in_footer=True,
        in_palette=False,
    ),
    act("passage.find", "/", "find", "Find in the text, from one character up.", in_palette=False),
    act("passage.next_mark", "n", "next mark", "The next mark or match.", in_palette=False),
    act("passage.previous_mark", "N", "previous mark", "The mark before.", in_palette=False),
)

HOME: tuple[Action, ...] = (
    act(
        "home.new",
        "+",
        "new run",
        "Choose a system and a release, and start.",
        run="app.new_run",
        in_footer=True,
    ),
)

CORPUS: tuple[Action, ...] = (
    act(
        "corpus.find",
        "/",
        "find",
        "Find documents by what they say, from one character up.",
        in_footer=True,
    ),
    act(
        "corpus.add",
        "+",
        "add",
        "Read files or a folder into a corpus.",
        sense="new",
        in_footer=True,
    ),
    act(
        "corpus.refused",
        "R",
        "refused",
        "What could not be read, and why.",
        in_footer=True,
    ),
)

DOCUMENT: tuple[Action, ...] = (
    act("document.next", "]", "document", "The next document of the list.", in_footer=True),
    act("document.previous", "[", "document before", "The document before, in the list."),
    act(
        "document.find",
        "/",
        "find",
        "Find in the text, from one character up.",
        in_footer=True,
    ),
    act("document.next_mark", "n", "chunk or match", "The next chunk or match.", in_footer=True),
    act("document.previous_mark", "N", "previous mark", "The chunk or match before."),
    act(
        "document.whole",
        "w",
        "one pane",
        "The text alone, or with what is known of it.",
        in_footer=True,
    ),
)

PROVIDERS: tuple[Action, ...] = (
    act("providers.add", "+", "add", "Name another endpoint.", sense="new", in_footer=True),
    act("providers.test", "y", "test", "Make one small call to it.", in_footer=True),
)

RUNS: tuple[Action, ...] = (
    act(
        "runs.new",
        "+",
        "new run",
        "Choose a system and a release, and start.",
        run="app.new_run",
        in_footer=True,
    ),
    act("runs.pause", "z", "pause/resume", "Stop claiming work, or go on.", in_footer=True),
    act(
        "runs.cancel",
        "X",
        "cancel",
        "Stop for good; what is done stays.",
        in_footer=True,
        is_destructive=True,
    ),
)

RESULTS: tuple[Action, ...] = (
    act("results.metric", "m", "metric", "Choose the metric that is shown.", in_footer=True),
    act("results.run", "r", "run", "Choose the run that is shown.", in_footer=True, run="pick_run"),
    act(
        "results.axes",
        "b",
        "rows/columns",
        "Choose what the rows and the columns are by.",
        in_footer=True,
    ),
    act("results.transpose", "T", "turn", "Swap the rows and the columns."),
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
    act("results.export", "E", "export", "Write the matrix to a file.", in_footer=True),
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
    act("item.previous", "[", "item before", "The item before, in the list."),
    act(
        "item.next_passage",
        ".",
        "passage",
        "The next piece of evidence or retrieved passage.",
        in_footer=True,
    ),
    act("item.previous_passage", ",", "passage before", "The evidence or passage before."),
    act(
        "item.switch",
        "v",
        "evidence/retrieved",
        "From the evidence to what was retrieved, and back.",
        in_footer=True,
    ),
    act(
        "item.whole",
        "w",
        "one pane",
        "The pane with the focus alone, or both; Tab changes the focus.",
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

PLACES: tuple[Place, ...] = (
    Place("home", "Home", 1, ("rows", "heatmap")),
    Place("corpus", "Corpus", 2, ("rows",)),
    *building_keys.PLACES,
    *judging_keys.PLACES,
    Place("runs", "Runs", 5, ("rows", "sheet")),
    Place("results", "Results", 6, ("heatmap",)),
    Place("compare", "Compare", 0, ("heatmap",)),
    Place("bars", "Bars", 0, ("rows",)),
    Place("leaderboard", "Leaderboard", 0, ("rows",)),
    Place("items", "Items", 0, ("rows",)),
    Place("item", "Item", 0, ("sheet", "passage")),
    Place("document", "Document", 0, ("sheet", "passage")),
    Place("providers", "Providers", 0, ("rows", "sheet")),
    *correction_keys.PLACES,
    *outcome_keys.PLACES,
    *statistics_keys.PLACES,
)

REGISTRY = Registry(
    (
        *COMMON,
        *MOVEMENT,
        *WIDGETS,
        *HOME,
        *CORPUS,
        *DOCUMENT,
        *building_keys.ACTIONS,
        *PROVIDERS,
        *RUNS,
        *RESULTS,
        *BARS,
        *ITEM,
        *correction_keys.ACTIONS,
        *judging_keys.ACTIONS,
        *outcome_keys.ACTIONS,
        *statistics_keys.ACTIONS,
    ),
    PLACES,
)


def widget_bindings(scope: str) -> list[Binding]:
    """The bindings of a kind of widget, for its BINDINGS."""
    return Registry((*MOVEMENT, *WIDGETS), ()).bindings(scope)
