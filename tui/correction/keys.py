"""The keys of correcting an item. While a text is edited printable keys are text, so what is done
there is on control keys that input methods and SSH let through."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act
from tui.shell.signs import DIFFERENCES, Sign
from tui.shell.theme import SIGNS

CORRECTION: tuple[Action, ...] = (
    act(
        "correction.source",
        "ctrl+o",
        "mark passage",
        "Mark a passage of the source document as evidence.",
        in_footer=True,
    ),
    act(
        "correction.add",
        "ctrl+n",
        "add",
        "Another answer, evidence, turn or hidden document, after the one with the cursor.",
        in_footer=True,
    ),
    act(
        "correction.delete",
        "ctrl+d",
        "delete",
        "Take away the part with the cursor; ctrl+u brings it back.",
        sense="delete_part",
        in_footer=True,
    ),
    act(
        "correction.earlier",
        "ctrl+k ctrl+up",
        "move up",
        "The answer, evidence or turn with the cursor changes places with the one before.",
    ),
    act(
        "correction.later",
        "ctrl+x ctrl+down",
        "move down",
        "The answer, evidence or turn with the cursor changes places with the next.",
    ),
    act("correction.undo", "ctrl+u", "undo", "Take back the last edit.", in_footer=True),
    act("correction.redo", "ctrl+y", "redo", "Bring back what was taken back."),
    *(
        act(
            f"correction.page_{where}",
            f"page{where}",
            f"document {where}",
            f"A page {where} in the source document.",
            run=f"page('page_{where}')",
        )
        for where in ("down", "up")
    ),
    *(
        act(
            f"correction.column_{where}",
            f"shift+{where}",
            f"column {where}",
            f"A column to the {where} in a wide table of the source document.",
            run=f"page('{where}')",
        )
        for where in ("left", "right")
    ),
)

EVIDENCE: tuple[Action, ...] = (
    act(
        "evidence.take",
        "enter",
        "take it",
        "Take the marked passage as evidence; with none marked, mark the sentence.",
        sense="open",
        in_footer=True,
    ),
    act(
        "evidence.mark",
        "space",
        "mark",
        "Begin a passage at the cursor; moving makes it longer, Esc drops it.",
        in_footer=True,
    ),
    act(
        "evidence.sentences", "=", "sentences", "Make the passage whole sentences.", in_footer=True
    ),
    *(
        act(f"evidence.{verb}", keys, verb.replace("_", " "), help, run=f"move('{verb}')")
        for verb, keys, help in (
            ("right", "right l", "One character to the right."),
            ("left", "left h", "One character to the left."),
            ("word_right", "} ctrl+right", "To the next word; Chinese by its dictionary words."),
            ("word_left", "{ ctrl+left", "To the word before."),
            ("sentence_right", ")", "To the next sentence."),
            ("sentence_left", "(", "To the start of the sentence, or of the one before."),
        )
    ),
    act(
        "evidence.find", "/", "find", "Find in the document; the cursor goes along.", in_footer=True
    ),
    act("evidence.next_mark", "n", "next mark", "The next match, evidence or answer."),
    act("evidence.previous_mark", "N", "previous mark", "The match, evidence or answer before."),
    act("evidence.whole_document", "W", "whole document", "Take the whole document as evidence."),
    act(
        "evidence.document",
        "O",
        "other document",
        "Choose another document of the corpus.",
        in_footer=True,
    ),
)


def _switch(scope: str) -> Action:
    return act(
        f"{scope}.switch",
        "v",
        "compare with",
        "Compare with the text that was shown, or with the one that was generated.",
        in_footer=True,
    )


DIFF: tuple[Action, ...] = (_switch("diff"),)

REVIEW: tuple[Action, ...] = (
    act(
        "review.propose",
        "enter",
        "propose",
        "Propose the correction as a new revision.",
        sense="open",
        in_footer=True,
    ),
    _switch("review"),
    act(
        "review.keep",
        "K",
        "keep draft",
        "Leave it as a draft; it opens again as it stands.",
        in_footer=True,
    ),
    act(
        "review.discard",
        "X",
        "discard",
        "Throw the correction away, after a question.",
        sense="cancel",
        in_footer=True,
        is_destructive=True,
    ),
)

ACTIONS: tuple[Action, ...] = (*CORRECTION, *EVIDENCE, *DIFF, *REVIEW)

PLACES: tuple[Place, ...] = (
    Place("correction", "Correct", 0),
    Place("evidence", "Evidence", 0, ("passage",)),
    Place("diff", "Diff", 0, ("sheet",), signs=DIFFERENCES),
    Place("review", "Proposal", 0, ("sheet",), signs=DIFFERENCES),
    Place(
        "history",
        "History",
        0,
        ("rows",),
        signs=(Sign(SIGNS.good, "The version that holds.", "good"),),
    ),
)
