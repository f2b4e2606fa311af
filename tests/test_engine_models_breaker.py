"""An endpoint is taken to be down when failures follow each other, not when they coincide."""

from __future__ import annotations

import pytest
from fake_clock import Clock

from engine.models.breaker import Breaker
from engine.models.errors import EndpointDown, FailureKind, ModelError


def failure(kind):
    return ModelError(FailureKind(kind), f"it is {kind}.")


def test_failures_one_after_the_other_open_it_for_half_a_minute():
    clock = Clock()
    breaker = Breaker(clock=clock)
    for _ in range(4):
        clock.now += 1
        assert breaker.failed(failure("connection"), began=clock.now) is None
    clock.now += 1
    assert isinstance(breaker.failed(failure("connection"), began=clock.now), EndpointDown)
    with pytest.raises(EndpointDown, match="5 failures in a row"):
        breaker.check()
    clock.now += 30
    breaker.check()
    assert breaker.failed(failure("connection"), began=clock.now) is not None


def test_a_reply_between_them_begins_the_count_anew():
    clock = Clock()
    breaker = Breaker(clock=clock)
    for _ in range(20):
        for _ in range(4):
            clock.now += 1
            assert breaker.failed(failure("connection"), began=clock.now) is None
        breaker.reset()


def test_connections_lost_at_one_moment_are_one_failure():
    clock = Clock()
    breaker = Breaker(clock=clock)
    clock.now = 100.0
    for _ in range(64):
        breaker.failed(failure("connection"), began=99.0)
    assert not breaker.is_open


def test_calls_that_hang_together_are_each_a_failure():
    clock = Clock()
    breaker = Breaker(clock=clock)
    clock.now = 100.0
    for _ in range(4):
        breaker.failed(failure("timeout"), began=40.0)
    assert breaker.failed(failure("timeout"), began=40.0) is not None


def test_a_moment_without_connection_is_no_outage():
    clock = Clock()
    breaker = Breaker(clock=clock)
    for _ in range(20):
        clock.now += 0.1
        breaker.failed(failure("connection"), began=clock.now)
    assert not breaker.is_open
