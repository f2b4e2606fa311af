"""The keys of the list of items: what is listed, and what is done with it."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked
from tui.shell.signs import Sign
from tui.shell.theme import SIGNS

ACTIONS: tuple[Action, ...] = (
    asked(
        "tui.items.screen:ask_items",
        "items",
        "List the items of a dataset by text, state, cell, score or author, and act on all listed.",
        "$",
    ),
    act(
        "item_list.filter",
        "F",
        "filter",
        "Which items are listed: by text, state, cell, verdict, score, author, document, likeness.",
        sense="queue",
        in_footer=True,
    ),
    act(
        "item_list.tick",
        "space",
        "tick",
        "Tick this item, or take the tick back: acts are done with those that are ticked, and with"
        " all that is listed where none is.",
        sense="mark",
        in_footer=True,
    ),
    act(
        "item_list.similar",
        "v",
        "similar",
        "The items most like this one below it, with what differs; again: the item itself.",
        sense="switch",
        in_footer=True,
    ),
    act(
        "item_list.exclude",
        "x",
        "exclude",
        "Exclude what is ticked, or all that is listed, from your own labelling, for one reason.",
        in_footer=True,
    ),
    act(
        "item_list.postpone",
        "s",
        "postpone",
        "Postpone what is ticked, or all that is listed, in your queue.",
    ),
    act("item_list.flag", "f", "flag", "Flag what is ticked, or all that is listed."),
    act(
        "item_list.sample",
        "+",
        "to a sample",
        "Add what is ticked, or all that is listed, to a sample of items to inspect, or to a new"
        " one.",
        sense="new",
        in_footer=True,
    ),
    act(
        "item_list.undo",
        "u",
        "undo",
        "Take back your last act on a list, all of it.",
        in_footer=True,
    ),
    act("item_list.whole", "w", "one pane", "The list alone, or with the item below it."),
)

PLACES: tuple[Place, ...] = (
    Place(
        "item_list",
        "Items",
        0,
        ("rows", "sheet"),
        "The score of what is ticked, or of all that is listed: 4 and 5 accept, 3 sends to"
        " correction, 1 and 2 discard.",
        (Sign(SIGNS.good, "A ticked item: acts are done with the ticked ones alone.", "good"),),
    ),
)
