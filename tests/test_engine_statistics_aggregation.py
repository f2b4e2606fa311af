"""Means say what they rest on; their intervals resample groups and do not depend on row order."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.statistics.aggregation import macro_mean, summarise
from engine.statistics.inference import MIN_GROUPS, Settings
from store.records import ScoreState

PARITY = Path(__file__).parent / "data/parity"
AGGREGATION = json.loads((PARITY / "omnieval_metrics.json").read_text("utf-8"))["aggregation"]
OK = ScoreState.OK
ROWS = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([f"g{place}" for place in range(9)])),
    min_size=1,
    max_size=30,
)


def of_rows(rows, **options):
    return summarise(
        [value for value, _ in rows], [OK] * len(rows), [group for _, group in rows], **options
    )


def test_only_scores_with_a_value_enter_the_mean_and_every_state_is_counted():
    states = [OK, OK, ScoreState.NA, ScoreState.UNPARSED, ScoreState.MISSING]
    found = summarise([1.0, 0.0, None, None, None], states, list("abcde"))
    assert found.mean == 0.5
    assert found.n == {
        OK: 2,
        ScoreState.NA: 1,
        ScoreState.UNPARSED: 1,
        ScoreState.OUT_OF_RANGE: 0,
        ScoreState.ERROR: 0,
        ScoreState.MISSING: 1,
    }
    assert found.groups == 2
    assert found.coverage == 2 / 4


def test_nothing_to_average_gives_no_mean():
    found = summarise([None], [ScoreState.NA], ["a"])
    assert (found.mean, found.low, found.high, found.groups) == (None, None, None, 0)
    assert found.coverage is None
    assert summarise([], [], []).mean is None


def test_fewer_than_six_groups_have_no_interval_however_many_values_they_hold():
    rows = [(place % 3 / 2, f"g{place % (MIN_GROUPS - 1)}") for place in range(90)]
    assert of_rows(rows).low is None
    assert of_rows([*rows, (0.5, "g5")]).low is not None


@pytest.mark.parametrize("hits", [0, 1, 3])
def test_the_interval_of_a_rare_event_reaches_what_was_not_seen(hits):
    """A rate of 5 % in 20 groups: resampling covered it in 79 %, at 6 groups in 35 %."""
    found = of_rows([(float(place < hits), f"g{place}") for place in range(20)])
    assert found.low < 0.05 < found.high
    assert found.low >= 0
    assert (found.low == 0) == (hits == 0)
    mirrored = of_rows([(float(place >= hits), f"g{place}") for place in range(20)])
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - found.high, 1 - found.low))


def test_a_rare_event_that_fills_whole_groups_is_less_certain():
    alone = of_rows([(float(place < 4), f"g{place}") for place in range(80)])
    together = of_rows([(float(place < 4), f"g{place // 4}") for place in range(80)])
    assert together.mean == alone.mean
    assert together.high > alone.high


def test_values_that_are_no_rare_event_keep_the_bootstrap():
    rows = [(0.5 + place / 100, f"g{place}") for place in range(8)]
    found = of_rows(rows)
    assert 0.49 < found.low < found.mean < found.high < 0.58


def test_one_group_shows_no_spread():
    found = of_rows([(0.2, "a"), (0.4, "a")])
    assert found.mean == pytest.approx(0.3)
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize(
    ("value", "state"),
    [(None, OK), (math.nan, OK), (math.inf, OK), (0.5, ScoreState.NA)],
)
def test_a_value_that_contradicts_its_state_is_refused(value, state):
    with pytest.raises(ValueError, match="cannot have the value"):
        summarise([value], [state], ["a"])


def test_the_interval_agrees_with_the_normal_approximation_for_many_groups():
    source = random.Random(5)
    rows = [(source.random(), f"g{number}") for number in range(400)]
    found = of_rows(rows)
    spread = 1.96 * math.sqrt(1 / 12 / 400)
    assert found.low == pytest.approx(found.mean - spread, abs=0.004)
    assert found.high == pytest.approx(found.mean + spread, abs=0.004)


def test_samples_of_one_group_do_not_make_the_interval_narrower():
    alone = of_rows([(float(number % 2), f"g{number}") for number in range(40)])
    repeated = of_rows([(float(number % 2), f"g{number}") for number in range(40)] * 10)
    assert repeated.mean == alone.mean
    assert (repeated.low, repeated.high) == pytest.approx((alone.low, alone.high))


def test_more_draws_than_fit_at_once_are_still_one_bootstrap():
    rows = [(float(number % 3 == 0), f"g{number}") for number in range(9000)]
    found = of_rows(rows, settings=Settings(resamples=400))
    assert found.low < found.mean < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * math.sqrt(2 / 9 / 9000), rel=0.2)


@settings(max_examples=60)
@given(ROWS, st.randoms(use_true_random=False), st.integers(0, 3))
def test_equal_rows_in_any_order_give_the_identical_summary(rows, source, seed):
    shuffled = rows[:]
    source.shuffle(shuffled)
    chosen = Settings(seed=seed, resamples=50)
    assert of_rows(rows, settings=chosen) == of_rows(shuffled, settings=chosen)


@settings(max_examples=60)
@given(ROWS)
def test_the_interval_lies_within_the_scale(rows):
    found = of_rows(rows, settings=Settings(resamples=50))
    if found.low is not None:
        assert -1e-12 <= found.low <= found.high <= 1 + 1e-12


def test_the_macro_mean_weighs_cells_the_same_and_skips_empty_ones():
    cells = [of_rows([(1.0, "a")]), of_rows([(0.0, "a")] * 9), summarise([], [], [])]
    assert macro_mean(cells) == 0.5
    assert macro_mean([]) is None


@pytest.mark.parametrize("case", AGGREGATION, ids=lambda case: case["id"])
def test_means_equal_the_reference(case):
    """Theirs mark a number without a value by -1, and leave nothing out of a mean of lists."""
    rows, expected = case["list"], case["expected_valid_mean"]
    if not isinstance(rows[0], list):
        valid = [value for value in rows if value >= 0]
        assert (mean_of(valid) if valid else -1.0) == pytest.approx(expected, abs=1e-9)
    else:
        means = [mean_of(column) for column in zip(*rows, strict=True)]
        assert means == pytest.approx(expected, abs=1e-9)


def mean_of(values):
    return of_rows([(value, str(at)) for at, value in enumerate(values)]).mean
