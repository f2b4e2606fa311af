"""The keys of writing a guideline. While it is edited printable keys are text."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked

ACTIONS: tuple[Action, ...] = (
    asked(
        "tui.guideline.screen:ask_guideline",
        "guideline",
        "Write the guideline of a form, in versions: what raters agreed to go by.",
    ),
    act("guideline.undo", "ctrl+u", "undo", "Take back the last edit.", in_footer=True),
    act("guideline.redo", "ctrl+y", "redo", "Bring back what was taken back.", in_footer=True),
    act(
        "guideline.own_editor",
        "ctrl+g",
        "own editor",
        "Go on in the editor that $VISUAL or $EDITOR names, and come back with the text.",
        in_footer=True,
    ),
)

PLACES: tuple[Place, ...] = (Place("guideline", "Guideline", 0),)
