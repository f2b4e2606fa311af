"""A token bucket that limits the units used in a minute, in the order of requests."""

from __future__ import annotations

from collections.abc import Callable

_BURST = 0.1
"""The share of a minute's units that may be taken at once; the rest flows in evenly."""


class Pace:
    """At most `per_minute` units in any 60 seconds.

    A bucket of a tenth of the minute's units (at least one) is refilled at nine tenths of the
    rate. Whoever takes more than is there leaves a debt, and waits until it is filled.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float]) -> None:
        self._capacity = max(1.0, _BURST * per_minute)
        self._per_second = (1 - _BURST) * per_minute / 60
        self._clock = clock
        self._level = self._capacity
        self._at = clock()

    def take(self, units: float) -> float:
        """Takes `units` and returns the seconds to wait before using them, 0 or more."""
        self._refill()
        self._level -= units
        return max(0.0, -self._level / self._per_second)

    def correct(self, units: float) -> None:
        """Takes `units` more, or gives them back when negative, for an estimate that was off."""
        self._refill()
        self._level = min(self._capacity, self._level - units)

    def _refill(self) -> None:
        now = self._clock()
        self._level = min(self._capacity, self._level + (now - self._at) * self._per_second)
        self._at = now
