"""Time at the keys, with pauses cut."""

from __future__ import annotations

from store.labels.log.events import IDLE_CUT_MS
from tui.label.timing import ActiveClock


def test_the_time_between_keys_adds_up_and_a_pause_is_cut() -> None:
    clock = ActiveClock(100.0)
    clock.tick(103.0)
    clock.tick(104.5)
    assert clock.read_ms() == 4500
    clock.tick(104.5 + 3600)
    assert clock.read_ms() == 4500 + IDLE_CUT_MS


def test_what_was_written_down_is_not_counted_again() -> None:
    clock = ActiveClock(0.0)
    clock.tick(2.0)
    clock.spend()
    clock.tick(5.0)
    assert clock.read_ms() == 3000
    clock.restart(50.0)
    clock.tick(51.0)
    assert clock.read_ms() == 1000
