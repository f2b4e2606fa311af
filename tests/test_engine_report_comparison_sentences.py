"""What a comparison found is said plainly, in Chinese and in English."""

from __future__ import annotations

import subprocess
import sys

import pytest
from msgspec import structs

from engine.report.comparison_sentences import left_out_sentence, tiers_sentence, verdict_sentence
from engine.results.comparison import Comparison, Leaderboard, LeftOut
from engine.statistics.inference import Difference, Settings, TurnState, Verdict

FOUND = Difference(
    items=1756,
    groups=420,
    mean_a=0.323,
    mean_b=0.439,
    difference=-0.116,
    low=-0.152,
    high=-0.08,
    p=0.0001,
    p_holm=None,
    mcnemar=None,
    wins=20,
    ties=1676,
    losses=60,
    verdict=Verdict.B_BETTER,
)


def say(difference, lang, higher_is_better=True):
    comparison = Comparison(difference, {}, {}, higher_is_better, Settings())
    return verdict_sentence(
        comparison, difference, a="bm25", b="关键词", metric="ndcg@10", lang=lang
    )


def test_the_better_run_is_named_first_with_figures_from_its_side():
    assert say(FOUND, "en") == (
        "关键词 is better than bm25 on ndcg@10: 0.439 against 0.323, difference 0.116 (95 %"
        " interval 0.080 to 0.152; p < 0.001) on 1,756 turns in 420 groups; 60 won, 1,676 tied,"
        " 20 lost."
    )
    assert say(FOUND, "zh") == (
        "在 ndcg@10 上，关键词 优于 bm25：0.439 对 0.323，相差 0.116（95 % 区间 0.080 至 0.152，"
        "p < 0.001）；共 1,756 轮、420 组，胜 60、平 1,676、负 20。"
    )


def test_where_lower_is_better_the_sentence_says_so_and_the_gain_stays_positive():
    one = structs.replace(FOUND, verdict=Verdict.A_BETTER, wins=60, losses=20)
    assert say(one, "en", higher_is_better=False).startswith(
        "bm25 is better than 关键词 on ndcg@10 (lower is better): 0.323 against 0.439,"
        " difference 0.116 (95 % interval 0.080 to 0.152;"
    )
    assert say(one, "zh", higher_is_better=False).startswith(
        "在 ndcg@10（越低越好）上，bm25 优于 关键词："
    )


def test_a_metric_without_direction_is_only_higher():
    one = structs.replace(FOUND, verdict=Verdict.B_HIGHER)
    assert say(one, "en", None).startswith("关键词 is higher than bm25 on ndcg@10: 0.439")
    assert say(one, "zh", None).startswith("在 ndcg@10 上，关键词 高于 bm25：0.439")


def test_no_difference_shows_a_against_b_and_both_p_values():
    one = structs.replace(
        FOUND,
        difference=-0.0002,
        low=-0.02,
        high=0.01,
        p=0.032,
        p_holm=1.0,
        items=1,
        groups=1,
        verdict=Verdict.NO_DIFFERENCE,
    )
    assert say(one, "en") == (
        "No difference found between bm25 and 关键词 on ndcg@10: 0.323 against 0.439, difference"
        " -0.0002 (95 % interval -0.020 to 0.010; p = 0.032, after Holm p = 1.000) on 1 turn"
        " in 1 group; 20 won, 1,676 tied, 60 lost."
    )
    assert "未发现 bm25 与 关键词 有差异" in say(one, "zh")
    assert "p = 0.032，Holm 校正后 p = 1.000" in say(one, "zh")


def test_too_few_says_how_few_and_how_many_are_needed():
    one = structs.replace(FOUND, items=7, groups=1, verdict=Verdict.TOO_FEW)
    assert say(one, "en") == (
        "Too few to tell bm25 from 关键词 on ndcg@10: both have a value on only 7 turns in"
        " 1 group, and at least 6 groups are needed."
    )
    assert say(one, "zh") == (
        "在 ndcg@10 上，bm25 与 关键词 无从判断：双方都有分数的只有 7 轮、1 组，至少需要 6 组。"
    )


def test_what_is_left_out_is_counted_by_reason():
    left_out = {
        LeftOut(TurnState.ABSENT, TurnState.OK): 1200,
        LeftOut(TurnState.UNPARSED, TurnState.MISSING): 2,
        LeftOut(TurnState.REVISED, TurnState.REVISED): 3,
    }
    assert left_out_sentence(left_out, a="x", b="y", lang="en") == (
        "Left out: 1,205 turns: 1,200 (x: not in the run), 2 (x: score not parsed; y: no"
        " score), 3 (both: another revision of the item)."
    )
    assert left_out_sentence(left_out, a="x", b="y", lang="zh") == (
        "未计入 1,205 轮：1,200 轮（x：没有此题）、2 轮（x：评分无法解析；y：没有分数）、"
        "3 轮（双方：题目版本不同）。"
    )
    assert left_out_sentence({}, a="x", b="y", lang="en") == "No turn is left out."
    assert left_out_sentence({}, a="x", b="y", lang="zh") == "没有任何一轮被排除。"


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("side", list(TurnState))
def test_every_reason_has_words_in_both_languages(side, lang):
    assert left_out_sentence({LeftOut(side, TurnState.ABSENT): 1}, a="x", b="y", lang=lang)


def test_a_leaderboard_names_the_runs_that_are_not_told_apart():
    board = Leaderboard(50, 20, (), {}, (("a", "b"), ("b", "c"), ("d",)), {}, True, Settings())
    assert tiers_sentence(board, "en") == "Not told apart: a, b; b, c."
    assert tiers_sentence(board, "zh") == "未分出高下：a、b；b、c。"
    clear = structs.replace(board, tiers=(("a",), ("b",)))
    assert tiers_sentence(clear, "en") == "All runs are told apart."
    few = structs.replace(board, items=9, groups=5)
    assert tiers_sentence(few, "en") == (
        "Too few to tell: all runs have a value on only 9 turns in 5 groups."
    )
    assert "9 轮、5 组" in tiers_sentence(few, "zh")


def test_saying_it_needs_no_numerical_library():
    code = "import sys, engine.report.comparison_sentences; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_an_interval_that_rests_on_few_groups_that_differ_is_not_to_be_trusted():
    few = structs.replace(FOUND, groups_differing=3)
    warned = say(few, "en")
    assert warned.endswith("Only 3 groups differ: the interval is narrower than it should be.")
    assert say(few, "zh").endswith("只有 3 组有差异，区间偏窄。")
