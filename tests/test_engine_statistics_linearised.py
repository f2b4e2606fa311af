"""Stopping while one looks: the sequence keeps its word where the interval does not."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.trust_stopping import decide, precise
from engine.statistics.draws import all_alike
from engine.statistics.linearised import FIRST_LOOK, linear, sequence_interval


def test_a_sequence_is_wider_than_the_interval_and_starts_late() -> None:
    rng = np.random.default_rng(1)
    people = rng.random(400)
    for n in (20, 40, 200):
        found = linear(None, np.arange(400), all_alike(np.arange(n), people[:n], 400))
        assert found is not None
        sequence = sequence_interval(found, "new", 100, (0.0, 1.0))
        plain = found.interval("new", (0.0, 1.0), tested=False)
        if n < FIRST_LOOK:
            assert sequence.reason == "too few labels for a sequence: 20 of 30"
        else:
            assert sequence.half is not None
            assert plain.half is not None
            assert 1.3 * plain.half < sequence.half < 2.2 * plain.half


def test_two_equal_runs_are_seldom_told_apart_however_often_one_looks() -> None:
    outcome = decide(80, gap=0.0, every=30)
    assert outcome.by_sequence <= 0.05 + 2 * (0.05 * 0.95 / 80) ** 0.5
    assert outcome.by_interval > outcome.by_sequence + 0.05


def test_runs_that_differ_are_told_apart_before_the_labels_end() -> None:
    outcome = decide(20, gap=0.2, every=30)
    assert outcome.by_sequence > 0.8
    assert outcome.wrong_way == 0
    assert FIRST_LOOK <= outcome.labels < 200


def test_an_interval_covers_where_it_was_precise_enough_to_stop() -> None:
    outcome = precise(60, every=30)
    assert outcome.held >= 0.93 - 2 * (0.93 * 0.07 / 60) ** 0.5
    assert outcome.labels == pytest.approx(110, abs=40)
