"""Chances known before the label, draws of fixed size by them, and what labels teach by class."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.trust_drawing import KINDS, outcome
from engine.statistics.chances import LEAST, chances, drawn, expected_by_class


def test_equal_uncertainty_gives_equal_chances() -> None:
    assert chances(np.full(40, 0.3), 10) == pytest.approx(np.full(40, 0.25))
    assert chances(np.zeros(40), 10) == pytest.approx(np.full(40, 0.25))


def test_half_is_drawn_alike_and_half_by_uncertainty() -> None:
    uncertainty = np.repeat([1.0, 3.0], 50)
    found = chances(uncertainty, 20)
    assert found[0] == pytest.approx(0.5 * 20 / 100 + 0.5 * 20 * 1 / 200)
    assert found[-1] == pytest.approx(0.5 * 20 / 100 + 0.5 * 20 * 3 / 200)
    assert found.sum() == pytest.approx(20)


def test_no_chance_is_above_1_and_what_exceeds_goes_to_the_others() -> None:
    found = chances(np.array([1e6, *np.ones(9)]), 5)
    assert found[0] == 1
    assert found.sum() == pytest.approx(5)
    assert found[1:] == pytest.approx(np.full(9, 4 / 9))
    assert list(chances(np.ones(3), 7)) == [1, 1, 1]


def test_no_uncertainty_is_below_a_tenth_of_the_mean() -> None:
    found = chances(np.array([0.0, *np.ones(9)]), 2, 0.0)
    assert found[0] / found[1] == pytest.approx(LEAST * 0.9)


def test_a_draw_has_its_size_whatever_the_seed_and_the_chances_it_says() -> None:
    wanted = chances(np.linspace(0.1, 2, 30), 7)
    times = np.zeros(30)
    for seed in range(4_000):
        taken = drawn(wanted, seed)
        assert len(set(taken.tolist())) == 7
        times[taken] += 1
    assert times / 4_000 == pytest.approx(wanted, abs=4 * (0.25 / 4_000) ** 0.5)
    assert drawn(wanted, 3).tolist() == drawn(wanted, 3).tolist() != drawn(wanted, 4).tolist()


def test_labels_teach_by_class_and_the_unknown_have_what_was_expected() -> None:
    classes = np.array([0] * 8 + [1] * 4 + [2] * 2)
    known = np.array([1.0] * 4 + [np.nan] * 4 + [0.0] * 2 + [np.nan] * 4)
    found = expected_by_class(classes, known, np.full(14, 0.5))
    assert found[0] == pytest.approx((4 * 1 + 4 * 0.5) / 8)
    assert found[8] == pytest.approx((2 * 0 + 4 * 0.5) / 6)
    assert found[13] == pytest.approx(0.5)


def test_choosing_saves_labels_where_the_hard_are_known_and_costs_little_otherwise() -> None:
    kind = KINDS["10 % hard, .5 against .02"]
    plain, known, misled = (outcome(kind, knows, 100, 60) for knows in (None, "known", "misleads"))
    assert known.half < 0.98 * plain.half
    # half is drawn alike: an interval as narrow takes at most 1.4 times the labels
    assert misled.half < 1.4**0.5 * plain.half
    for one in (plain, known, misled):
        assert one.held >= 0.93 - 2 * (0.93 * 0.07 / 60) ** 0.5
