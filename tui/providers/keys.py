"""The keys of the Providers screen."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act

ACTIONS: tuple[Action, ...] = (
    act("providers.add", "+", "add", "Name another endpoint.", sense="new", in_footer=True),
    act(
        "providers.test",
        "ctrl+r",
        "test",
        "Make one small call to it.",
        sense="recompute",
        in_footer=True,
    ),
)

PLACES: tuple[Place, ...] = (Place("providers", "Providers", 0, ("rows", "sheet")),)
