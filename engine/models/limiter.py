"""Limits an account's calls in flight to a number that it adapts to the endpoint's replies.

Additive increase, multiplicative decrease. The limit starts at 20 (or at what the settings allow)
and doubles with every clean round until the first episode of 429s; from then on a clean round
adds 5 %. A round is as many outcomes as the limit, and counts only when the limit was reached,
since a limit that nobody needed proves nothing.

An episode is a round in which 15 % are refused, at least four calls; it cuts the limit to 0.8
of it, once: what was sent before the cut belongs to the episode, and no other begins until the
wait that the server named (15 s when it named none) is over. Fewer refusals are strays and leave
a round clean, or else a server that refuses now and then whatever the load is would be starved.

When refusals come in a row, half as many as the limit, the server is closed: nobody goes out
until the wait that it named is over.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

from msgspec import Struct

from engine.models.settings import Limits

START = 20
CUT = 0.8
GROWTH = 1.05
COOLDOWN_S = 15.0
LONGEST_COOLDOWN_S = 60.0
EPISODE_SHARE = 0.15
EPISODE_CALLS = 4
CLOSED_AFTER = 5


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


class LimiterState(Struct, frozen=True):
    """The state of a limiter for display: calls allowed, in flight and waiting, and cuts so far."""

    limit: int
    in_flight: int
    waiting: int
    cuts: int
    peak_in_flight: int
    closed_for_s: float


class Limiter:
    """Admits callers in order of arrival, for one event loop; `clock` counts seconds."""

    def __init__(
        self,
        limits: Limits,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._limits = limits
        self._limit = float(min(START, limits.max_in_flight))
        self._in_flight = 0
        self._peak = 0
        self._cuts = 0
        self._epoch = 0
        self._refused_in_a_row = 0
        self._cooling_until = 0.0
        self._closed_until = 0.0
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._begin_round()
        self._make_paces()

    @property
    def state(self) -> LimiterState:
        closed = max(0.0, self._closed_until - self._clock())
        waiting = sum(not waiter.done() for waiter in self._waiters)
        return LimiterState(
            int(self._limit), self._in_flight, waiting, self._cuts, self._peak, closed
        )

    @property
    def limits(self) -> Limits:
        return self._limits

    def retune(self, limits: Limits) -> None:
        """Changes the limits; calls in flight are not affected."""
        paces_stay = (limits.rpm, limits.tpm) == (self._limits.rpm, self._limits.tpm)
        self._limits = limits
        self._limit = min(self._limit, float(limits.max_in_flight))
        if not paces_stay:
            self._make_paces()
        self._admit()

    async def acquire(self, tokens: int = 0) -> Permit:
        """Waits for permission to make one call of about `tokens` tokens; close the permit after
        it.
        """
        while True:
            await self._slot()
            closed_for = self._closed_until - self._clock()
            if closed_for <= 0:
                break
            self._leave()
            await self._sleep(closed_for)
        if self._requests is not None or self._tokens is not None:
            try:
                await self._keep_pace(tokens)
            except BaseException:
                self._leave()
                raise
        return Permit(self, self._epoch, tokens)

    async def _slot(self) -> None:
        if self._in_flight < int(self._limit) and not self._waiters:
            self._enter()
            return
        self._saturated = True
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._leave()  # admitted and cancelled in the same moment
            elif waiter in self._waiters:  # else a place that came free has passed it over already
                self._waiters.remove(waiter)
            raise

    def _enter(self) -> None:
        self._in_flight += 1
        if self._in_flight > self._peak:
            self._peak = self._in_flight
        if self._in_flight >= int(self._limit):
            self._saturated = True

    def _leave(self) -> None:
        self._in_flight -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiters and self._in_flight < int(self._limit):
            waiter = self._waiters.popleft()
            if not waiter.done():
                self._enter()
                waiter.set_result(None)

    def _make_paces(self) -> None:
        rpm, tpm = self._limits.rpm, self._limits.tpm
        self._requests = Pace(rpm, self._clock) if rpm else None
        self._tokens = Pace(tpm, self._clock) if tpm else None

    async def _keep_pace(self, tokens: int) -> None:
        wait = self._requests.take(1) if self._requests is not None else 0.0
        if self._tokens is not None:
            wait = max(wait, self._tokens.take(tokens))
        if wait > 0:
            await self._sleep(wait)

    def _begin_round(self) -> None:
        self._outcomes = 0
        self._refusals = 0
        self._saturated = False

    def _close(
        self, permit: Permit, refused: bool, retry_after_s: float | None, tokens: int | None
    ) -> None:
        if self._tokens is not None and tokens is not None:
            self._tokens.correct(tokens - permit.tokens)
        self._refused_in_a_row = self._refused_in_a_row + 1 if refused else 0
        if permit.epoch == self._epoch:
            self._count(refused, retry_after_s)
        if refused and retry_after_s is not None:
            self._maybe_shut(retry_after_s)
        self._leave()

    def _count(self, refused: bool, retry_after_s: float | None) -> None:
        self._outcomes += 1
        self._refusals += refused
        slots = int(self._limit)
        is_episode = self._refusals >= min(max(EPISODE_CALLS, EPISODE_SHARE * slots), slots)
        if refused and is_episode and self._clock() >= self._cooling_until:
            self._cut(retry_after_s)
        elif self._outcomes >= slots:
            if self._saturated and not is_episode:
                self._grow()
            self._begin_round()

    def _cut(self, retry_after_s: float | None) -> None:
        wait = COOLDOWN_S if retry_after_s is None else min(retry_after_s, LONGEST_COOLDOWN_S)
        self._cooling_until = self._clock() + wait
        self._limit = max(1.0, self._limit * CUT)
        self._cuts += 1
        self._epoch += 1
        self._begin_round()

    def _grow(self) -> None:
        grown = max(self._limit * GROWTH, self._limit + 1) if self._cuts else self._limit * 2
        self._limit = min(grown, float(self._limits.max_in_flight))
        self._admit()

    def _maybe_shut(self, retry_after_s: float) -> None:
        if self._refused_in_a_row >= max(CLOSED_AFTER, self._limit / 2):
            wait = min(retry_after_s, LONGEST_COOLDOWN_S)
            self._closed_until = max(self._closed_until, self._clock() + wait)


class Permit:
    """Permission to make one call; closing it a second time has no effect."""

    __slots__ = ("_limiter", "_open", "epoch", "tokens")

    def __init__(self, limiter: Limiter, epoch: int, tokens: int) -> None:
        self._limiter = limiter
        self._open = True
        self.epoch = epoch
        self.tokens = tokens

    def close(
        self,
        *,
        refused: bool = False,
        retry_after_s: float | None = None,
        tokens: int | None = None,
    ) -> None:
        """Ends the call: `refused` for a 429, `tokens` as the server counted them."""
        if self._open:
            self._open = False
            self._limiter._close(self, refused, retry_after_s, tokens)

    def drop(self) -> None:
        """Ends a call that says nothing about the server, as it was cancelled or not answered."""
        if self._open:
            self._open = False
            self._limiter._leave()
