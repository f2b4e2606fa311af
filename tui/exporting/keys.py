"""The keys of the Export screen."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act

ACTIONS: tuple[Action, ...] = (
    act(
        "export.recompute",
        "ctrl+r",
        "look again",
        "Count again what would be written.",
        in_footer=True,
    ),
)

PLACES: tuple[Place, ...] = (Place("export", "Export", 9, ("rows", "sheet")),)
