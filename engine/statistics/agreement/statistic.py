"""A figure with its interval, or the reason why there is none."""

from __future__ import annotations

from msgspec import Struct


class Statistic(Struct, frozen=True, omit_defaults=True):
    """A figure; `value` is null where it is not defined, and `reason` says why."""

    value: float | None
    reason: str = ""
    low: float | None = None
    """Ends of the 95 % interval; null where there is none, and `interval_reason` says why."""
    high: float | None = None
    interval_reason: str = ""
