"""Retries failed calls: the only place that decides on what, how often and after which wait."""

from __future__ import annotations

import asyncio
import math
import random as random_module
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from msgspec import Struct

from engine.models.breaker import Breaker
from engine.models.errors import FailureKind, ModelError
from engine.models.limiter import Limiter, Permit

T = TypeVar("T")

_UNREACHED = frozenset({FailureKind.CONNECTION, FailureKind.TIMEOUT})


class RetryPolicy(Struct, frozen=True):
    """At most `attempts` attempts, with waits of up to `base_s` * 2^n and never above `cap_s`."""

    attempts: int = 8
    base_s: float = 0.5
    cap_s: float = 60.0
    patience_s: float = 300.0
    """A server that asks for a longer wait than this is out of quota, not in a hurry."""


RETRIES = RetryPolicy()
ONCE = RetryPolicy(attempts=1)


class Account:
    """The state shared by calls to one endpoint with one key: limiter, breaker, clock."""

    def __init__(
        self,
        limiter: Limiter,
        breaker: Breaker,
        *,
        policy: RetryPolicy = RETRIES,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Callable[[], float] = random_module.random,
    ) -> None:
        self.limiter = limiter
        self.breaker = breaker
        self._policy = policy
        self._clock = clock
        self._sleep = sleep
        self._random = random

    async def call(
        self,
        attempt: Callable[[], Awaitable[T]],
        *,
        tokens: int = 0,
        used: Callable[[T], int | None] | None = None,
    ) -> tuple[T, int]:
        """The result of `attempt` and how many attempts it took.

        `tokens` is what a call may use and `used` what its result did use, for the limit of
        tokens a minute. Tried again are rate limits, failures of the server, lost connections
        and timeouts. A call waits without holding a place in the limiter. Raises ModelError,
        with its `attempts`, and EndpointDown.
        """
        number = 0
        while True:
            number += 1
            self.breaker.check()
            permit = await self.limiter.acquire(tokens)
            try:
                self.breaker.check()  # it may have opened while this call waited
                began = self._clock()
                try:
                    result = await attempt()
                except ModelError as error:
                    error.attempts = number
                    wait = self._after_failure(error, permit, began, number)
                else:
                    self.breaker.reset()
                    permit.close(tokens=used(result) if used is not None else None)
                    return result, number
            finally:
                permit.drop()
            await self._sleep(wait)

    def _after_failure(self, error: ModelError, permit: Permit, began: float, number: int) -> float:
        """The seconds to wait before the next attempt; raises when there is none."""
        if error.kind in _UNREACHED and error.status is None:
            permit.drop()
            down = self.breaker.failed(error, began)
            if down is not None:
                down.attempts = number
                raise down from None
        else:
            self.breaker.reset()
            refused = error.kind is FailureKind.RATE_LIMITED
            permit.close(refused=refused, retry_after_s=error.retry_after_s)
        if not error.retryable:
            raise error
        if error.retry_after_s is not None and error.retry_after_s > self._policy.patience_s:
            raise _out_of_quota(error)
        if number >= self._policy.attempts:
            raise _given_up(error, number)
        return wait_before_retry(error.retry_after_s, number - 1, self._policy, self._random)


def wait_before_retry(
    retry_after_s: float | None,
    retries: int,
    policy: RetryPolicy,
    random: Callable[[], float] = random_module.random,
) -> float:
    """Seconds to wait: what the server said, else full jitter under min(cap, base * 2^retries).

    Full jitter (Brooker, AWS Architecture Blog 2015) spreads callers that failed together. A
    server that says 0 has not said how long.
    """
    if retry_after_s:
        return retry_after_s
    return random() * min(policy.cap_s, policy.base_s * 2.0 ** min(retries, 60))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds from `retry-after-ms`, else from `retry-after` (seconds or an HTTP date).

    None for what is absent, negative or not a number; a date in the past means 0.
    """
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * scale
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return _seconds_to_date(headers.get("retry-after"), now or datetime.now(UTC))


def _seconds_to_date(text: str | None, now: datetime) -> float | None:
    if text is None:
        return None
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())


def _out_of_quota(error: ModelError) -> ModelError:
    assert error.retry_after_s is not None
    minutes = math.ceil(error.retry_after_s / 60)
    final = ModelError(
        FailureKind.QUOTA,
        f"{error.message.rstrip('.')}; it asks to wait {minutes} minutes.",
        status=error.status,
        retry_after_s=error.retry_after_s,
    )
    final.attempts = error.attempts
    return final


def _given_up(error: ModelError, number: int) -> ModelError:
    if number == 1:
        return error
    final = ModelError(
        error.kind,
        f"{error.message.rstrip('.')}; given up after {number} attempts.",
        error.remedy,
        status=error.status,
        retry_after_s=error.retry_after_s,
    )
    final.attempts = number
    return final
