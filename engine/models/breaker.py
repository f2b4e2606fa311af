"""Notices that an endpoint is down, so that a job pauses and its items do not all fail."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.models.errors import EndpointDown, FailureKind, ModelError

THRESHOLD = 5
MIN_OUTAGE_S = 3.0
REST_S = 30.0


class Breaker:
    """Opens after five failures to connect or to answer in a row; any HTTP reply resets it.

    Connections lost at the same moment are one failure, so that a server that restarts under 64
    calls does not open it: a lost connection counts when it was begun after the last counted
    failure. Nor does it open before the outage has lasted three seconds. Half a minute after it
    opened calls may try again, and their first failure opens it again.
    """

    def __init__(
        self,
        *,
        threshold: int = THRESHOLD,
        min_outage_s: float = MIN_OUTAGE_S,
        rest_s: float = REST_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._threshold = threshold
        self._min_outage_s = min_outage_s
        self._rest_s = rest_s
        self._clock = clock
        self._failures = 0
        self._first_began = 0.0
        self._last_counted = 0.0
        self._open_until = 0.0
        self._reason: ModelError | None = None

    @property
    def is_open(self) -> bool:
        return self._reason is not None and self._clock() < self._open_until

    def check(self) -> None:
        """Raises EndpointDown while the endpoint is considered down."""
        if self._reason is not None and self.is_open:
            raise _down(self._reason, self._failures)

    def reset(self) -> None:
        """Forgets all failures, after a reply or when a person resumes the job."""
        self._failures = 0
        self._reason = None

    def failed(self, error: ModelError, began: float) -> EndpointDown | None:
        """Counts a failed call begun at `began`; returns the error to raise when it opens."""
        now = self._clock()
        if not self._failures:
            self._first_began = began
        elif error.kind is FailureKind.CONNECTION and began < self._last_counted:
            return None
        self._failures += 1
        self._last_counted = now
        long_enough = now - self._first_began >= self._min_outage_s
        if self._failures < self._threshold or not long_enough:
            return None
        self._reason = error
        self._open_until = now + self._rest_s
        return _down(error, self._failures)


def _down(error: ModelError, failures: int) -> EndpointDown:
    return EndpointDown(
        error.kind,
        f"{error.message.rstrip('.')}; {failures} failures in a row, so the endpoint is taken to"
        " be down.",
        f"{error.remedy} Then resume.",
        status=error.status,
    )
