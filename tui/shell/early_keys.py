"""Keys that are typed before a screen is there: kept, and given to it in their order.

Until a screen is mounted no field of it has the focus, so that Textual gives it the first keys by
another way than the next: these could overtake them.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakSet

from textual.app import App
from textual.events import Event, Key, Paste
from textual.screen import Screen

LOOK_SECONDS = 0.01


class EarlyKeys:
    """The keys that wait for the screen on top; `take` does with an event what the app does."""

    def __init__(self, app: App[Any], take: Callable[[Event], Awaitable[None]]) -> None:
        self._app, self._take = app, take
        self._kept: list[Event] = []
        self._ready: WeakSet[Screen[Any]] = WeakSet()

    def keep(self, event: Event) -> bool:
        """Keeps what is typed while the screen is not there, or after what is still kept; false
        for what goes on at once."""
        if not isinstance(event, Key | Paste) or event.is_forwarded:
            return False
        stack = self._app.screen_stack
        if not self._kept and (not stack or stack[-1] in self._ready):
            return False
        # a key that was typed ahead into the screen below comes back behind later ones
        insort(self._kept, event, key=lambda one: one.time)
        if len(self._kept) == 1:
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
        while self._kept and self._app.screen in self._ready:
            await self._take(self._kept.pop(0))
        if self._kept:
            self._look()
