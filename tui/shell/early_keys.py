"""Keys that are typed ahead, of a screen or of what a key before them does: kept, and given in
their order.

Until a screen is mounted no field of it has the focus, so that Textual gives it the first keys by
another way than the next: these could overtake them. In a question, and in a line to fill in, a
letter acts at once, but Enter or Ctrl-U only when it has gone up to the app, and what it asks for
once that has come back: what was typed after it would go to the field that is being left.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from weakref import WeakSet

from textual.app import App
from textual.dom import DOMNode
from textual.events import Event, Key, Paste
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

LOOK_SECONDS = 0.01


class EarlyKeys:
    """The keys that wait for the screen on top, or for the key before them; `take` does with an
    event what the app does."""

    def __init__(self, app: App[Any], take: Callable[[Event], Awaitable[None]]) -> None:
        self._app, self._take = app, take
        self._kept: list[Event] = []
        self._ready: WeakSet[Screen[Any]] = WeakSet()
        self._is_acting = False
        """Whether a key was given that is not dealt with yet."""

    def keep(self, event: Event) -> bool:
        """Keeps what is typed while the screen is not there, or after what is still kept or not
        dealt with; false for what goes on at once."""
        if not isinstance(event, Key | Paste) or event.is_forwarded:
            return False
        stack = self._app.screen_stack
        is_free = not self._kept and not self._is_acting
        if is_free and (not stack or stack[-1] in self._ready):
            self._follow()
            return False
        # a key that was typed ahead into the screen below comes back behind later ones
        insort(self._kept, event, key=lambda one: one.time)
        if len(self._kept) == 1 and not self._is_acting:
            self._look()
        return True

    def _look(self) -> None:
        screen = self._app.screen
        if screen.is_mounted:
            # behind what mounting has asked of the app, such as the focus
            self._app.call_later(self._give, screen)
        else:
            self._app.set_timer(LOOK_SECONDS, self._look)

    async def _give(self, screen: Screen[Any]) -> None:
        """Gives what was kept; one of the keys may open a screen, which the others wait for."""
        self._ready.add(screen)
        while self._kept and not self._is_acting and self._app.screen in self._ready:
            event = self._kept.pop(0)
            self._follow()
            await self._take(event)
        if self._kept and not self._is_acting:
            self._look()

    def _follow(self) -> None:
        """Has what comes next wait until the key that is given now has done all that it does."""
        if not self._app.screen_stack:
            return
        screen = self._app.screen
        if isinstance(screen, ModalScreen) or isinstance(screen.focused, Input):
            self._is_acting = True
            way = (screen.focused or screen).ancestors_with_self
            # up to the app, which does what the key is bound to, and with the message about that
            # up to the screen, which hears it
            self._app.call_later(self._pass, (*way, *way))

    def _pass(self, way: Sequence[DOMNode]) -> None:
        """Goes the way of the key, behind it; what has been closed meanwhile is left out."""
        for index, node in enumerate(way):
            if node.call_later(self._pass, way[index + 1 :]):
                return
        self._is_acting = False
        if self._kept:
            self._look()
