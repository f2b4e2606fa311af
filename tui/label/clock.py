"""Time at the keys: what a rater really spends on a subject."""

from __future__ import annotations

from store.labels.events import IDLE_CUT_MS


class ActiveClock:
    """Adds up the time between keys; a longer pause than the idle cut counts as that."""

    def __init__(self, now: float) -> None:
        """`now` is in seconds, of any clock that only goes forward."""
        self._last = now
        self._spent = 0.0

    def restart(self, now: float) -> None:
        """Another subject is before the rater."""
        self._last = now
        self._spent = 0.0

    def tick(self, now: float) -> None:
        """A key was pressed."""
        self._spent += min(max(now - self._last, 0.0), IDLE_CUT_MS / 1000)
        self._last = now

    def read_ms(self) -> int:
        """Milliseconds since the last `spend` or `restart`, up to the last key."""
        return round(1000 * self._spent)

    def spend(self) -> None:
        """What was read has been written down with a label."""
        self._spent = 0.0
