"""Standard tokens keep what a number means, in Chinese and in English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.tokens import standard_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("净利润12.5亿元", ["净利润", "12.5", "亿元"]),
        ("净利润125亿元。", ["净利润", "125", "亿元"]),
        ("同比变动-3.4%", ["同比", "变动", "-3.4%"]),
        ("同比变动 3.4 %", ["同比", "变动", "3.4%"]),
        ("−3.4%", ["-3.4%"]),
        ("–3.4%", ["-3.4%"]),
        ("+5%", ["5%"]),
        (".5", ["0.5"]),
        ("-.5", ["-0.5"]),
        ("１２．５％", ["12.5%"]),
        ("a loss of -$12.4 billion", ["a", "loss", "of", "-12.4", "billion"]),
        ("RMB12.5bn", ["rmb", "12.5", "bn"]),
        ("净利-5.2亿元", ["净利", "-5.2", "亿元"]),
    ],
)
def test_a_number_keeps_sign_point_and_percent(text, tokens):
    assert list(standard_tokens(text)) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("2020-01-05", ["2020", "01", "05"]),
        ("10%-12%", ["10%", "12%"]),
        ("3亿元-5亿元", ["3", "亿元", "5", "亿元"]),
        ("1,000-2,000", ["1000", "2000"]),
        ("gpt-4", ["gpt", "4"]),
        ("a 5-year bond", ["a", "5", "year", "bond"]),
    ],
)
def test_a_hyphen_between_values_is_no_sign(text, tokens):
    assert list(standard_tokens(text)) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("营业收入1,234,567元", ["营业", "收入", "1234567", "元"]),
        ("$1,234.5", ["1234.5"]),
        ("分别为100，200和300", ["分别", "为", "100", "200", "和", "300"]),
        ("12,3456", ["12", "3456"]),
    ],
)
def test_thousands_separators_are_folded_and_list_commas_are_not(text, tokens):
    assert list(standard_tokens(text)) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The Bank's U.S. unit", ["the", "bank", "s", "u", "s", "unit"]),
        ("ＩＰＯ 审核周期为90天", ["ipo", "审核", "周期", "为", "90", "天"]),
        ("Q3 H1N1", ["q3", "h1n1"]),
        ("流动\n性覆盖率", ["流动性", "覆盖率"]),
        ("二〇二〇年", ["二", "〇", "二", "〇", "年"]),
        ("AA+ to BBB-", ["aa+", "to", "bbb-"]),
        ("soft\u00adware", ["software"]),
    ],
)
def test_words_are_folded_words_of_their_language(text, tokens):
    assert list(standard_tokens(text)) == tokens


def test_a_text_of_symbols_alone_is_compared_by_its_symbols():
    assert standard_tokens("。。") == ("。", "。")
    assert standard_tokens("📈") == ("📈",)
    assert standard_tokens(" \n") == ()


@given(st.text())
def test_tokens_hold_no_white_space(text):
    assert all(token.split() == [token] for token in standard_tokens(text))


@given(st.text(alphabet="净利润12.5%,-$ aB+，。"))
def test_outer_white_space_and_case_do_not_matter(text):
    assert standard_tokens(f" {text.upper()}\n") == standard_tokens(text)
