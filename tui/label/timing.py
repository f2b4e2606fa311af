"""When keys are typed: at what stands on the screen or too early, and time at the keys."""

from __future__ import annotations

import math
import time

from store.labels.log.events import IDLE_CUT_MS
from tui.language import tr

SETTLE_SECONDS = 0.15
"""A value that is typed within so long of a subject's first sight was meant for the one before."""
TOO_EARLY = tr("typed before this was on the screen: not counted")


class KeyGuard:
    """Knows when what is to be labelled was painted, and when the last key was typed."""

    def __init__(self) -> None:
        self._seen_at = math.inf
        self._typed_at = 0.0

    def lose(self) -> None:
        """Something else is to be labelled, and is not painted yet."""
        self._seen_at = math.inf

    def gain(self) -> None:
        """It has been painted just now."""
        self._seen_at = time.monotonic()

    def typed(self, at: float) -> None:
        """A key has come, typed at this moment of the monotonic clock."""
        self._typed_at = at

    @property
    def is_too_early(self) -> bool:
        """Whether the last key cannot have been meant for what is to be labelled."""
        return self._typed_at < self._seen_at + SETTLE_SECONDS


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
