"""The current time in the format of the store."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now_text() -> str:
    """The current time as UTC ISO 8601 text with milliseconds, e.g. `2026-01-31T08:00:00.123Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now_seconds() -> float:
    """Seconds since the epoch; leases compare these between processes of one host."""
    return time.time()


def start_of_day(now: datetime | None = None) -> str:
    """UTC text of the last local midnight, which a rater's day begins at."""
    here = (now or datetime.now(UTC)).astimezone()
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
