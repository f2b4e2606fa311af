"""What a person can do where they label: at every desk, in Inspect, over conflicts."""

from __future__ import annotations

from collections.abc import Iterable

from tui.shell.actions import Action, Place, act
from tui.shell.signs import DIFFERENCES, Sign
from tui.shell.theme import SIGNS

DESKS = ("inspect", "label")
"""The places where people label: one desk, one set of keys, whatever the form."""


def _at_desk(
    verb: str,
    keys: str,
    label: str,
    help: str,
    *,
    part: str = "",
    in_footer: bool = False,
    sense: str = "",
) -> Action:
    """An action of every desk. `part` is the part of the desk that does it, if not the desk."""
    run = f"do('{part}.{verb}')" if part else ""
    id = f"judging.{verb}"
    return act(id, keys, label, help, scopes=DESKS, run=run, in_footer=in_footer, sense=sense)


def _in_panes(scope: str, scopes: Iterable[str] = ()) -> tuple[Action, ...]:
    """The keys for reading a subject, at the desks and over conflicts; `scope` begins the ids."""
    return tuple(
        act(f"{scope}.{verb}", key, label, help, scopes=scopes, run=f"do('view.{verb}')")
        for verb, key, label, help in (
            ("next_passage", ".", "passage", "The next document that goes with it."),
            ("previous_passage", ",", "passage before", "The document before."),
            ("whole", "w", "one pane", "The pane with the focus alone, or both; Tab goes over."),
            ("find", "/", "find", "Find in all its documents, from one character up."),
            ("next_mark", "n", "mark", "The next evidence or match in the document."),
            ("previous_mark", "N", "previous mark", "The evidence or match before."),
        )
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
    _at_desk("undo", "u", "undo", "Undo the last label, even from earlier days.", in_footer=True),
    _at_desk("redo", "U", "redo", "Bring back what was undone."),
    _at_desk(
        "postpone", "s", "postpone", "To the end of your queue.", part="remarks", in_footer=True
    ),
    _at_desk(
        "exclude", "x", "exclude", "It cannot be labelled; then a digit says why.", part="remarks"
    ),
    _at_desk(
        "flag", "f", "flag", "Mark it to be looked at again, or take the mark away.", part="remarks"
    ),
    _at_desk("comment", ";", "comment", "A note on it, for whoever comes later.", part="remarks"),
    _at_desk("guideline", "G", "guideline", "What raters agreed to go by.", in_footer=True),
    _at_desk(
        "queue",
        "F",
        "queue",
        "A part of the queue: a cell, a topic, what you flagged.",
        part="going",
    ),
    _at_desk(
        "reveal",
        "V",
        "reveal",
        "What is hidden until you have labelled it; this is logged.",
        part="remarks",
    ),
    _at_desk("auto_advance", "A", "auto-advance", "Go on after the last field, or wait for Enter."),
    _at_desk("next", "]", "next", "The next one, without a label."),
    _at_desk("previous", "[", "previous", "The one before, as you left it."),
    *_in_panes("judging", DESKS),
)
"""What every label desk can do."""

_CHECKS = (
    ("task", "t", "The question meets the requirement of its task."),
    ("topic", "o", "The question belongs to its topic."),
    ("question", "q", "The question is complete and clear without its document."),
    ("answer", "a", "The answer is correct and complete."),
    ("passages", "p", "The passages are accurate and sufficient."),
)


def _of_items(
    scope: str, before: str = "", *, edit: str = "correct", in_footer: bool = False
) -> tuple[Action, ...]:
    """What is done with an item beside labelling it; `before` begins the help."""
    return tuple(
        act(
            f"{scope}.{verb}",
            key,
            label,
            before + (help[0].lower() + help[1:] if before else help),
            run=f"do('corrections.{verb}')",
            in_footer=in_footer and verb in ("edit", "diff"),
        )
        for verb, key, label, help in (
            ("edit", "e", edit, "Write a corrected version of it, or the text of its step."),
            ("diff", "d", "diff", "What people changed of the generated text."),
            ("history", "H", "history", "All versions of it, with who wrote them and why."),
            ("making", "M", "how it was made", "The stages that it was written in."),
        )
    )


def _conflicts(scope: str) -> Action:
    return act(f"{scope}.conflicts", "D", "conflicts", "Conflicts between raters, to be resolved.")


INSPECT: tuple[Action, ...] = (
    *_of_items("inspect", in_footer=True),
    _conflicts("inspect"),
    *(
        act(f"inspect.{field}", key, f"check {field}", help, run=f"check('{field}')")
        for field, key, help in _CHECKS
    ),
)

LABEL: tuple[Action, ...] = (
    act("label.sample", "S", "sample", "Choose what to label: another sample.", in_footer=True),
    act("label.comment_field", ":", "note on field", "A note on the field under the cursor."),
    _conflicts("label"),
    *_of_items("label", "Of an item: ", edit="write"),
)

ADJUDICATION: tuple[Action, ...] = (
    act("adjudication.edit", "e", "write", "Write a version of one's own as the ruling."),
    act(
        "adjudication.reason",
        ";",
        "reason",
        "Type why you rule so, before the key that rules.",
        sense="comment",
        in_footer=True,
    ),
    act("adjudication.diff", "d", "diff", "One rater's version against another's.", in_footer=True),
    act("adjudication.next", "]", "next", "The next conflict, without a ruling.", in_footer=True),
    act("adjudication.previous", "[", "previous", "The conflict before."),
    act("adjudication.undo", "u", "undo", "Take back what you ruled last.", in_footer=True),
    act("adjudication.redo", "U", "redo", "Bring back what was undone."),
    act("adjudication.guideline", "G", "guideline", "What raters agreed to go by.", in_footer=True),
    *_in_panes("adjudication"),
)
"""Ruling on conflicts; a digit chooses the label of one of the raters."""

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
        "How far every cell is from its target.",
        scopes=DESKS,
        run="do('going.progress')",
    ),
    act(
        "desk.new_sample",
        "+",
        "new sample",
        "Draw a sample to be labelled: a number of subjects per cell.",
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
    Place(
        "label",
        "Label",
        7,
        ("form", "sheet", "passage"),
        _VALUES,
        signs=(
            Sign("***", "What is hidden until you have labelled it.", "muted"),
            Sign("said", "Underlined: also in the golden answer.", "match"),
            Sign(SIGNS.good, "After V, before a sentence: the retrieved texts say it.", "good"),
            Sign("?", "After V, before a sentence: they do not."),
            Sign("12.5", "After V, reversed: against the golden answer.", "differs"),
        ),
    ),
    Place("adjudication", "Adjudicate", 0, ("sheet", "passage"), _RULINGS, signs=DIFFERENCES),
)
