"""What a person can do where they label: at every desk, in Inspect, over conflicts."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act

DESKS = ("inspect", "label")
"""The places where people label: one desk, one set of keys, whatever the form."""


def _at_desk(
    verb: str, keys: str, label: str, help: str, *, in_footer: bool = False, sense: str = ""
) -> Action:
    return act(
        f"judging.{verb}",
        keys,
        label,
        help,
        scopes=DESKS,
        in_footer=in_footer,
        sense=sense,
    )


AT_DESK: tuple[Action, ...] = (
    _at_desk(
        "confirm",
        "enter",
        "next",
        "Go on to the next that is not done.",
        sense="open",
        in_footer=True,
    ),
    _at_desk("undo", "u", "undo", "Take back what was said last, ever.", in_footer=True),
    _at_desk("redo", "U", "redo", "Bring back what was undone."),
    _at_desk("postpone", "s", "postpone", "To the end of your queue.", in_footer=True),
    _at_desk("exclude", "x", "exclude", "It cannot be labelled; then a digit says why."),
    _at_desk("flag", "f", "flag", "Mark it to be looked at again, or take the mark away."),
    _at_desk("comment", ";", "comment", "A note on it, for whoever comes later."),
    _at_desk("guideline", "G", "guideline", "What raters agreed to go by.", in_footer=True),
    _at_desk("queue", "F", "queue", "Which come: a cell, a topic, a task, what you flagged."),
    _at_desk("reveal", "V", "reveal", "What is hidden until you have labelled it; this is logged."),
    _at_desk("auto_advance", "A", "auto-advance", "Go on by itself once all is said, or not."),
    _at_desk("next", "]", "next", "The next one, without a label."),
    _at_desk("previous", "[", "one before", "The one before, as you left it."),
    _at_desk("next_passage", ".", "passage", "The next document that goes with it."),
    _at_desk("previous_passage", ",", "passage before", "The document before."),
    _at_desk("whole", "w", "one pane", "The pane with the focus alone, or both; Tab goes over."),
    _at_desk("find", "/", "find", "Find in the document, from one character up."),
    _at_desk("next_mark", "n", "mark", "The next evidence or match in the document."),
    _at_desk("previous_mark", "N", "previous mark", "The evidence or match before."),
)
"""What every label desk can do."""

_CHECKS = (
    ("task", "t", "The question meets the requirement of its task."),
    ("topic", "o", "The question belongs to its topic."),
    ("question", "q", "The question is complete and clear without its document."),
    ("answer", "a", "The answer is correct and complete."),
    ("passages", "p", "The passages are accurate and sufficient."),
)

INSPECT: tuple[Action, ...] = (
    act("inspect.edit", "e", "correct", "Write a corrected version of it.", in_footer=True),
    act("inspect.diff", "d", "diff", "What people changed of the generated text.", in_footer=True),
    act("inspect.history", "H", "history", "All versions of it, with who wrote them and why."),
    act("inspect.conflicts", "D", "conflicts", "What raters differ on, to be ruled on."),
    *(
        act(f"inspect.{field}", key, f"check {field}", help, run=f"check('{field}')")
        for field, key, help in _CHECKS
    ),
)

LABEL: tuple[Action, ...] = (
    act("label.sample", "S", "sample", "Choose what to label: another sample.", in_footer=True),
    act("label.comment_field", ":", "note on field", "A note on the field under the cursor."),
    act("label.conflicts", "D", "conflicts", "What raters differ on, to be ruled on."),
    act("label.edit", "e", "correct", "Of an item: write a corrected version of it."),
    act("label.diff", "d", "diff", "Of an item: what people changed of the generated text."),
    act("label.history", "H", "history", "Of an item: all versions of it."),
)

ADJUDICATION: tuple[Action, ...] = (
    act("adjudication.edit", "e", "write", "Write a version of one's own as the ruling."),
    act("adjudication.diff", "d", "diff", "One rater's version against another's.", in_footer=True),
    act("adjudication.next", "]", "next", "The next conflict, without a ruling.", in_footer=True),
    act("adjudication.previous", "[", "one before", "The conflict before."),
    act("adjudication.undo", "u", "undo", "Take back what you ruled last.", in_footer=True),
    act("adjudication.redo", "U", "redo", "Bring back what was undone."),
    act("adjudication.guideline", "G", "guideline", "What raters agreed to go by.", in_footer=True),
    act("adjudication.next_passage", ".", "passage", "The next document that goes with it."),
    act("adjudication.previous_passage", ",", "passage before", "The document before."),
    act("adjudication.whole", "w", "one pane", "The pane with the focus alone, or both."),
    act("adjudication.find", "/", "find", "Find in the document, from one character up."),
    act("adjudication.next_mark", "n", "mark", "The next evidence or match."),
    act("adjudication.previous_mark", "N", "previous mark", "The evidence or match before."),
)
"""Ruling on what raters differ on; a digit chooses what one of them said."""

FIGURES: tuple[Action, ...] = (
    act(
        "desk.statistics",
        "%",
        "statistics",
        "Acceptance, values and time an item, by cell, model, prompt or rater.",
        scopes=DESKS,
    ),
    act(
        "desk.progress",
        "#",
        "progress map",
        "How far every cell is towards its target.",
        scopes=DESKS,
    ),
    act(
        "desk.new_sample",
        "+",
        "new sample",
        "Draw what is to be labelled, so many a cell.",
        scopes=DESKS,
        sense="new",
    ),
)
"""What leads from a label desk to the figures over the work, and draws more of it."""

ACTIONS: tuple[Action, ...] = (*AT_DESK, *INSPECT, *LABEL, *ADJUDICATION, *FIGURES)

_VALUES = "A value of the field under the cursor; the form says which it has."
_RULINGS = "Rules for what is listed beside the digit."

PLACES: tuple[Place, ...] = (
    Place("inspect", "Inspect", 4, ("form", "sheet", "passage"), _VALUES),
    Place("label", "Label", 7, ("form", "sheet", "passage"), _VALUES),
    Place("adjudication", "Adjudicate", 0, ("sheet", "passage"), _RULINGS),
)
