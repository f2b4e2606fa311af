"""What can be done to the workspace as a whole, in every place."""

from __future__ import annotations

from tui.shell.actions import Action, Place, asked

ACTIONS: tuple[Action, ...] = (
    asked(
        "tui.upkeep.copies:ask_backup",
        "back up",
        "Write a checked copy (backup) of the workspace, also while others work.",
    ),
    asked(
        "tui.upkeep.copies:ask_verify",
        "verify",
        "Check the whole workspace: its file, hashes, quotes and counts.",
    ),
    asked(
        "tui.upkeep.removal:ask_delete",
        "delete",
        "Archive a run, dataset or corpus, or remove (purge) it for good.",
    ),
    asked(
        "tui.upkeep.removal:ask_restore",
        "restore",
        "Bring back a run, dataset or corpus that was archived.",
    ),
)

PLACES: tuple[Place, ...] = ()
