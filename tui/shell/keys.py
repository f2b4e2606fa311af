"""The keys that work everywhere, and those of each kind of widget.

Digits are for values and for `g`. Lower-case letters act on what the cursor is on, capitals do
what leaves the screen or is hard to undo.
"""

from __future__ import annotations

from textual.binding import Binding

from tui.shell.actions import Action, act, bindings

_LISTS = ("rows", "heatmap", "passage", "sheet", "help")
_COLUMNS = ("heatmap", "passage", "sheet", "form")
"""Where a table may be wider than its place."""

COMMON: tuple[Action, ...] = (
    act("everywhere.help", "?", "keys", "Every key that works here.", run="app.show_keys"),
    act(
        "everywhere.copy",
        "y",
        "copy",
        "Copy what the cursor is on, or another part of the screen, or the command that does the"
        " same; y again takes the first. Shift with the mouse selects as usual.",
        run="app.copy",
    ),
    act("everywhere.go", "g", "go to", "Then a digit: go to that place.", run="app.go_to"),
    act(
        "everywhere.command_palette",
        "ctrl+p",
        "commands",
        "Find any command by name.",
        run="app.command_palette",
        in_palette=False,
    ),
    act(
        "everywhere.release",
        "@",
        "release",
        "Freeze the accepted items of a dataset as a version, such as mine@1; runs need one.",
        run="app.release",
    ),
    act(
        "everywhere.settings",
        "P",
        "settings",
        "Systems, judges, embeddings, rerankers and providers: add, change and test them.",
        run="app.show_settings",
    ),
    act(
        "everywhere.judge",
        "'",
        "judge answers",
        "Let a judge score the answers of a run, as far as it has not scored them.",
        run="app.judge_answers",
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
        "everywhere.language",
        "",
        "中文/English",
        "Turn to the other language and keep it; the app starts anew, drafts stay.",
        run="app.switch_language",
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
        "everywhere.quit",
        "ctrl+q",
        "quit",
        "Leave; jobs go on.",
        run="app.quit",
        works_over_questions=True,
    ),
)
"""What works in every place. The app implements show_keys, copy, show_settings,
release, judge_answers, switch_language, redraw, go_to, back and go."""

MOVEMENT: tuple[Action, ...] = tuple(
    act(f"move.{verb}", keys, label, help, scopes=scopes, in_palette=False, run=f"move('{verb}')")
    for verb, keys, label, help, scopes in (
        ("down", "down j", "down", "One line, row or field down.", (*_LISTS, "form")),
        ("up", "up k", "up", "One line, row or field up.", (*_LISTS, "form")),
        ("right", "right l", "right", "One column to the right.", _COLUMNS),
        ("left", "left h", "left", "One column to the left.", _COLUMNS),
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

ACTIONS: tuple[Action, ...] = (*COMMON, *MOVEMENT, *WIDGETS)


def widget_bindings(kind: str) -> list[Binding]:
    """The bindings of a kind of widget, for its BINDINGS."""
    return bindings(kind, ACTIONS)
