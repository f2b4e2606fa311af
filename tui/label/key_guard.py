"""Whether a key was typed at what it labels, not at what stood there before."""

from __future__ import annotations

import math
import time

SETTLE_SECONDS = 0.15
"""A value that is typed within so long of a subject's first sight was meant for the one before."""
TOO_EARLY = "typed before this was on the screen: not counted"


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
    def is_painted(self) -> bool:
        return self._seen_at < math.inf

    @property
    def is_too_early(self) -> bool:
        """Whether the last key cannot have been meant for what is to be labelled."""
        return self._typed_at < self._seen_at + SETTLE_SECONDS
