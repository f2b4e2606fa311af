"""The rate of some work over the last moments."""

from __future__ import annotations

import time
from collections import deque


class Pace:
    """Units a second over a sliding window, so that a pause shows and a burst does not last."""

    def __init__(self, window: float = 30.0) -> None:
        self._window = window
        self._seen: deque[tuple[float, int]] = deque()

    def per_second(self, done: int, now: float | None = None) -> float:
        """Records the count of finished units and returns the rate; 0 after the first call."""
        at = time.monotonic() if now is None else now
        self._seen.append((at, done))
        while at - self._seen[0][0] > self._window:
            self._seen.popleft()
        first_at, first = self._seen[0]
        return (done - first) / (at - first_at) if at > first_at else 0.0
