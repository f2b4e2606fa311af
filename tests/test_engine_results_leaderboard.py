"""A leaderboard ranks runs on one common set and names those that are not told apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from engine.report.comparison_sentences import tiers_sentence
from engine.results.comparison import Standing
from engine.results.leaderboard import indistinguishable, leaderboard
from engine.results.run_comparison import compare
from engine.statistics.inference import Settings, TurnState, Verdict
from engine.statistics.significance import holm
from store.records import ScoreRow, ScoreState

QUICK = Settings(resamples=999)


def run(gain, seed, items=120):
    random = np.random.default_rng(seed)
    hard = np.random.default_rng(0).random(items)
    values = hard + gain + random.uniform(-0.2, 0.2, size=items)
    return [
        ScoreRow(f"q{i:03}", 1, 0, 0, f"g{i // 2:03}", "t", "qa", ScoreState.OK, float(value))
        for i, value in enumerate(values)
    ]


def test_clear_differences_make_tiers_and_small_ones_do_not():
    board = leaderboard(
        {"worst": run(0.0, 1), "best": run(0.3, 2), "second": run(0.31, 3)}, settings=QUICK
    )
    assert {one.run for one in board.standings[:2]} == {"best", "second"}
    assert board.standings[2].run == "worst"
    assert [one.letters for one in board.standings] == ["a", "a", "b"]
    assert [set(tier) for tier in board.tiers] == [{"best", "second"}, {"worst"}]
    assert (board.items, board.groups) == (120, 60)
    assert all(one.low < one.mean < one.high for one in board.standings)


def test_each_pair_has_the_figures_of_a_comparison_and_holm_is_over_the_pairs():
    runs = {"a": run(0.06, 1), "b": run(0.03, 2), "c": run(0.0, 3)}
    board = leaderboard(runs, settings=QUICK)
    for (x, y), one in board.pairs.items():
        two = compare(runs[x], runs[y], settings=QUICK).overall
        assert structs.replace(
            one, p_holm=None, least_p_holm=None, low=0, high=0, verdict=two.verdict
        ) == (structs.replace(two, low=0, high=0))
        np.testing.assert_allclose((one.low, one.high), (two.low, two.high), atol=1e-12)
    assert [one.p_holm for one in board.pairs.values()] == holm(
        [one.p for one in board.pairs.values()], [0.0] * 3
    )


def test_runs_stand_on_the_turns_that_all_of_them_have():
    short = run(0.1, 2)[:100]
    failed = [*run(0.0, 3)[:-1], structs.replace(run(0.0, 3)[0], item_key="q999", group_key="z")]
    board = leaderboard({"whole": run(0.2, 1), "short": short, "failed": failed}, settings=QUICK)
    assert board.items == 100
    assert board.left_out == {
        "whole": {TurnState.ABSENT: 1},
        "short": {TurnState.ABSENT: 21},
        "failed": {TurnState.ABSENT: 1},
    }


def test_the_lowest_leads_where_lower_is_better():
    runs = {"low": run(0.0, 1), "high": run(0.4, 2)}
    board = leaderboard(runs, higher_is_better=False, settings=QUICK)
    assert [one.run for one in board.standings] == ["low", "high"]
    assert board.pairs["low", "high"].verdict is Verdict.A_BETTER


def test_neither_the_order_of_runs_nor_of_rows_matters():
    runs = {"a": run(0.1, 1), "b": run(0.1, 1), "c": run(0.0, 2)}
    turned = {name: runs[name][::-1] for name in reversed(runs)}
    assert leaderboard(turned, settings=QUICK) == leaderboard(runs, settings=QUICK)
    assert [one.run for one in leaderboard(runs, settings=QUICK).standings] == ["a", "b", "c"]


def test_too_few_groups_tell_no_runs_apart():
    runs = {"a": run(0.9, 1)[:10], "b": run(0.0, 2)[:10]}
    board = leaderboard(runs, settings=QUICK)
    assert board.tiers == (("a", "b"),)
    assert board.pairs["a", "b"].verdict is Verdict.TOO_FEW
    assert board.standings[0].low is None


def test_runs_without_a_common_turn_have_no_means():
    board = leaderboard({"a": run(0, 1)[:5], "b": run(0, 1)[5:]}, settings=QUICK)
    assert (board.items, board.groups) == (0, 0)
    assert [one.mean for one in board.standings] == [None, None]
    assert board.tiers == (("a", "b"),)


def test_one_run_stands_alone_and_none_is_refused():
    board = leaderboard({"a": run(0, 1)}, settings=QUICK)
    assert (board.tiers, board.pairs) == ((("a",),), {})
    with pytest.raises(ValueError, match="needs a run"):
        leaderboard({})


def flat(value, items):
    return [
        ScoreRow(f"q{i:03}", 1, 0, 0, f"g{i:03}", "t", "qa", ScoreState.OK, value)
        for i in range(items)
    ]


def test_forty_runs_of_one_and_zero_are_told_apart():
    runs = {f"r{i:02}": flat(float(i < 20), 40) for i in range(40)}
    board = leaderboard(runs)
    assert [one.letters for one in board.standings] == ["a"] * 20 + ["b"] * 20


def test_a_leaderboard_that_can_tell_nothing_says_so():
    runs = {f"r{i:02}": flat(float(i < 20), 8) for i in range(40)}
    board = leaderboard(runs)
    assert all(one.letters == "a" for one in board.standings)
    assert tiers_sentence(board, "en") == (
        "Nothing can be told apart, whatever the runs show: among 780 pairs at most 8 groups"
        " differ in one."
    )
    assert "780 对" in tiers_sentence(board, "zh")


def test_letters_go_on_after_z():
    assert Standing("r", 0.5, None, None, (0, 25, 26)).letters == "aza1"


@given(st.integers(1, 7), st.data())
def test_tiers_are_the_largest_sets_without_a_pair_told_apart(runs, data):
    pairs = list(combinations(range(runs), 2))
    apart = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    legal = [
        set(some)
        for size in range(1, runs + 1)
        for some in combinations(range(runs), size)
        if not any(set(pair) <= set(some) for pair in apart)
    ]
    largest = [one for one in legal if not any(one < other for other in legal)]
    assert indistinguishable(runs, sorted(apart)) == sorted(tuple(sorted(one)) for one in largest)
