"""The current time in the format of the store."""

from __future__ import annotations

import functools
import time
from datetime import UTC, datetime
from pathlib import Path


def now_text() -> str:
    """The current time as UTC ISO 8601 text with milliseconds, e.g. `2026-01-31T08:00:00.123Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now_seconds() -> float:
    """Seconds since the epoch, by a clock that can be set."""
    return time.time()


_SINCE_START = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def ticks() -> float:
    """Seconds since the machine was started, which no change of its date moves."""
    return time.clock_gettime(_SINCE_START)


@functools.cache
def boot() -> str | None:
    """Which start of the machine `ticks` counts from; null where the host does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
    except OSError:
        return None


def start_of_day(now: datetime | None = None) -> str:
    """UTC text of the last local midnight, which a rater's day begins at."""
    here = (now or datetime.now(UTC)).astimezone()
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def local_day(at: str) -> str:
    """The local date of a stored time, e.g. `2026-01-31`."""
    return datetime.fromisoformat(at).astimezone().date().isoformat()
