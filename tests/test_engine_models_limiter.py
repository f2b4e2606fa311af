"""The limiter grows while rounds are clean, cuts once per episode, and holds nobody back twice."""

from __future__ import annotations

import asyncio

import pytest
from fake_clock import Clock

from engine.models.limiter import Limiter, Pace
from engine.models.settings import Limits


def limiter(clock=None, **limits):
    clock = clock or Clock()
    return Limiter(Limits(**limits), clock=clock, sleep=clock.sleep)


async def fill(subject):
    """Takes every place there is."""
    return [await subject.acquire() for _ in range(subject.state.limit)]


async def round_of(subject, refused=0, retry_after_s=None):
    """A full round in which the first `refused` are refused."""
    for number, permit in enumerate(await fill(subject)):
        permit.close(refused=number < refused, retry_after_s=retry_after_s)


async def test_it_starts_at_twenty_or_at_what_is_allowed():
    assert limiter().state.limit == 20
    assert limiter(max_in_flight=8).state.limit == 8


async def test_it_doubles_with_each_clean_round_up_to_what_is_allowed():
    subject = limiter(max_in_flight=64)
    seen = []
    for _ in range(3):
        await round_of(subject)
        seen.append(subject.state.limit)
    assert seen == [40, 64, 64]


async def test_a_limit_that_nobody_reached_does_not_grow():
    subject = limiter()
    for _ in range(100):
        (await subject.acquire()).close()
    assert subject.state.limit == 20


async def test_an_episode_cuts_once_however_many_are_refused():
    subject = limiter()
    await round_of(subject, refused=20)
    assert (subject.state.limit, subject.state.cuts) == (16, 1)


async def test_no_other_episode_begins_before_the_wait_is_over():
    clock = Clock()
    subject = limiter(clock)
    await round_of(subject, refused=5, retry_after_s=2.0)
    await round_of(subject, refused=5)
    assert subject.state.cuts == 1
    clock.now += 2.0
    await round_of(subject, refused=5)
    assert (subject.state.limit, subject.state.cuts) == (12, 2)


async def test_without_a_word_from_the_server_the_wait_is_fifteen_seconds():
    clock = Clock()
    subject = limiter(clock)
    await round_of(subject, refused=5)
    clock.now = 14.9
    await round_of(subject, refused=5)
    assert subject.state.cuts == 1
    clock.now = 15.0
    await round_of(subject, refused=5)
    assert subject.state.cuts == 2


async def test_after_a_cut_a_clean_round_adds_five_per_cent_and_at_least_one():
    subject = limiter(max_in_flight=200)
    await round_of(subject, refused=20)
    await round_of(subject)
    assert subject.state.limit == 17


async def test_strays_neither_cut_nor_stop_the_growth():
    subject = limiter(max_in_flight=40)
    await round_of(subject, refused=3)
    assert (subject.state.limit, subject.state.cuts) == (40, 0)


async def test_it_never_falls_below_one():
    clock = Clock()
    subject = limiter(clock, max_in_flight=2)
    for _ in range(5):
        await round_of(subject, refused=2, retry_after_s=0.0)
        clock.now += 1
    assert subject.state.limit == 1


async def test_refusals_in_a_row_close_the_door_until_the_server_opens_it():
    clock = Clock()
    subject = limiter(clock)
    await round_of(subject, refused=20, retry_after_s=30.0)
    assert subject.state.closed_for_s == 30.0
    (await subject.acquire()).close()
    assert clock.slept == [30.0]
    assert subject.state.closed_for_s == 0.0


async def test_callers_are_admitted_in_the_order_they_came():
    subject = limiter(max_in_flight=1)
    order = []

    async def work(number):
        permit = await subject.acquire()
        order.append(number)
        await asyncio.sleep(0)
        permit.close()

    await asyncio.gather(*[work(number) for number in range(9)])
    assert order == list(range(9))
    assert subject.state.peak_in_flight == 1


async def test_a_caller_who_gives_up_while_waiting_leaves_the_queue():
    subject = limiter(max_in_flight=1)
    held = await subject.acquire()
    quitter = asyncio.create_task(subject.acquire())
    patient = asyncio.create_task(subject.acquire())
    await asyncio.sleep(0)
    assert subject.state.waiting == 2
    quitter.cancel()
    held.close()
    (await patient).close()
    assert (subject.state.in_flight, subject.state.waiting) == (0, 0)


async def test_a_caller_cancelled_as_it_is_admitted_hands_its_place_on():
    subject = limiter(max_in_flight=1)
    held = await subject.acquire()
    quitter = asyncio.create_task(subject.acquire())
    patient = asyncio.create_task(subject.acquire())
    await asyncio.sleep(0)
    held.close()
    quitter.cancel()
    (await patient).close()
    assert subject.state.in_flight == 0


async def test_a_permit_closed_twice_counts_once():
    subject = limiter()
    permit = await subject.acquire()
    permit.close()
    permit.close()
    permit.drop()
    assert subject.state.in_flight == 0


async def test_retuning_admits_those_who_wait():
    subject = limiter(max_in_flight=1)
    held = await subject.acquire()
    waiter = asyncio.create_task(subject.acquire())
    await asyncio.sleep(0)
    subject.retune(Limits(max_in_flight=1, rpm=600))
    assert not waiter.done()
    held.close()
    assert (await waiter).tokens == 0


async def test_requests_a_minute_are_kept():
    clock = Clock()
    subject = limiter(clock, rpm=60)
    for _ in range(60):
        (await subject.acquire()).close()
    assert 50 <= clock.now <= 60


async def test_tokens_a_minute_are_kept_by_what_the_server_counted():
    clock = Clock()
    subject = limiter(clock, tpm=6000)
    permit = await subject.acquire(600)
    permit.close(tokens=0)
    await subject.acquire(600)
    assert clock.slept == []
    (await subject.acquire(90)).close(tokens=90)
    assert clock.slept == [pytest.approx(1.0)]


@pytest.mark.parametrize("per_minute", [1, 5, 60, 600])
def test_a_pace_is_kept_in_every_minute(per_minute):
    clock = Clock()
    pace = Pace(per_minute, clock)
    times = []
    for _ in range(3 * per_minute + 2):
        clock.now += pace.take(1)
        times.append(clock.now)
    for number, start in enumerate(times):
        assert sum(start <= at < start + 60 for at in times[number:]) <= per_minute


def test_what_is_given_back_can_be_taken_again():
    pace = Pace(600, Clock())
    assert pace.take(60) == 0.0
    pace.correct(-60)
    assert pace.take(60) == 0.0
    assert pace.take(9) == pytest.approx(1.0)
