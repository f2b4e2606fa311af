"""A pace is kept in every minute, however it is asked for."""

from __future__ import annotations

import pytest
from fake_clock import Clock

from engine.models.pace import Pace


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
