"""One layer tries again: what may pass by itself, after the server's wait or a jittered one."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from fake_clock import Clock

from engine.models.breaker import Breaker
from engine.models.errors import Effect, EndpointDown, FailureKind, ModelError
from engine.models.limiter import Limiter
from engine.models.retry import Account, RetryPolicy, retry_after, wait_before_retry
from engine.models.settings import Limits


def account(clock, **policy):
    return Account(
        Limiter(Limits(), clock=clock, sleep=clock.sleep),
        Breaker(clock=clock),
        policy=RetryPolicy(**policy),
        clock=clock,
        sleep=clock.sleep,
        random=lambda: 0.5,
    )


def failing(*outcomes):
    """A call that meets the given failures one after the other, then succeeds."""
    left = list(outcomes)

    async def attempt():
        if left:
            raise left.pop(0)
        return "done"

    return attempt


def failure(kind, **fields):
    status = {"rate_limited": 429, "server": 500, "bad_request": 400}.get(kind)
    return ModelError(FailureKind(kind), f"it is {kind}.", status=status, **fields)


async def test_a_success_takes_one_attempt():
    assert await account(Clock()).call(failing()) == ("done", 1)


@pytest.mark.parametrize("kind", ["rate_limited", "server", "timeout", "connection"])
async def test_what_may_pass_by_itself_is_tried_again(kind):
    clock = Clock()
    assert await account(clock).call(failing(*[failure(kind)] * 2)) == ("done", 3)
    assert clock.slept == [0.25, 0.5]


@pytest.mark.parametrize(
    "kind", sorted(set(FailureKind) - {"rate_limited", "server", "timeout", "connection"})
)
async def test_what_will_not_pass_is_raised_at_once(kind):
    clock = Clock()
    with pytest.raises(ModelError) as caught:
        await account(clock).call(failing(failure(kind)))
    assert (caught.value.kind, caught.value.attempts, clock.slept) == (kind, 1, [])


async def test_eight_attempts_are_the_end():
    clock = Clock()
    with pytest.raises(ModelError, match="given up after 8 attempts") as caught:
        await account(clock).call(failing(*[failure("server")] * 9))
    assert caught.value.attempts == 8
    assert clock.slept == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0]


async def test_a_rate_limit_to_the_end_pauses_the_job():
    with pytest.raises(ModelError) as caught:
        await account(Clock()).call(failing(*[failure("rate_limited")] * 9))
    assert caught.value.effect is Effect.PAUSE_JOB


async def test_the_servers_wait_goes_before_ours():
    clock = Clock()
    await account(clock).call(failing(failure("rate_limited", retry_after_s=7.0)))
    assert clock.slept == [7.0]


async def test_a_wait_of_hours_is_a_used_up_quota():
    with pytest.raises(ModelError, match="wait 60 minutes") as caught:
        await account(Clock()).call(failing(failure("rate_limited", retry_after_s=3600.0)))
    assert (caught.value.kind, caught.value.effect) == (FailureKind.QUOTA, Effect.PAUSE_JOB)


async def test_a_call_that_waits_holds_no_place():
    clock = Clock()
    subject = account(clock)
    seen = []

    async def watching(seconds):
        seen.append(subject.limiter.state.in_flight)

    subject._sleep = watching
    await subject.call(failing(failure("server")))
    assert seen == [0]
    assert subject.limiter.state.in_flight == 0


async def test_a_cancelled_call_gives_its_place_back():
    subject = account(Clock())

    async def forever():
        await asyncio.Event().wait()

    task = asyncio.create_task(subject.call(forever))
    await asyncio.sleep(0)
    assert subject.limiter.state.in_flight == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert subject.limiter.state.in_flight == 0


def test_waits_grow_by_two_under_the_cap_with_full_jitter():
    policy = RetryPolicy()
    assert [wait_before_retry(None, n, policy, lambda: 1.0) for n in (0, 1, 6, 7, 500)] == [
        0.5,
        1.0,
        32.0,
        60.0,
        60.0,
    ]
    assert wait_before_retry(None, 3, policy, lambda: 0.0) == 0.0
    assert wait_before_retry(0.0, 0, policy, lambda: 1.0) == 0.5


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "3"}, 3.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "later"}, None),
        ({"retry-after": "Fri, 20 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Fri, 20 Nov 2026 11:00:00 GMT"}, 0.0),
    ],
)
def test_the_servers_wait_is_read_in_every_form(headers, seconds):
    assert retry_after(headers, datetime(2026, 11, 20, 12, tzinfo=UTC)) == seconds


async def test_five_lost_connections_in_a_row_pause_the_job():
    clock = Clock()
    with pytest.raises(EndpointDown, match="5 failures in a row") as caught:
        await account(clock).call(failing(*[failure("connection")] * 9))
    assert caught.value.effect is Effect.PAUSE_JOB
    assert caught.value.kind is FailureKind.CONNECTION


async def test_while_the_endpoint_is_down_no_call_goes_out():
    clock = Clock()
    subject = account(clock)
    with pytest.raises(EndpointDown):
        await subject.call(failing(*[failure("connection")] * 9))
    with pytest.raises(EndpointDown):
        await subject.call(failing())
    clock.now += 30
    assert await subject.call(failing()) == ("done", 1)
    assert not subject.breaker.is_open


async def test_a_person_who_resumes_does_not_wait_for_the_rest():
    clock = Clock()
    subject = account(clock)
    with pytest.raises(EndpointDown):
        await subject.call(failing(*[failure("connection")] * 9))
    subject.breaker.reset()
    assert await subject.call(failing()) == ("done", 1)


async def test_any_reply_shows_that_the_endpoint_is_there():
    lost, served = failure("connection"), failure("server")
    outcomes = [lost, lost, lost, served, lost, lost, lost]
    assert await account(Clock()).call(failing(*outcomes)) == ("done", 8)
