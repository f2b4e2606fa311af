"""Claims are matched by words, numbers and polarity."""

from __future__ import annotations

import pytest

from engine.judge.rules.claims import claim_of
from engine.judge.rules.matching import contradicting, denies, match_claim, yes_or_no
from engine.text.numbers import find_same, numbers


def test_a_match_lists_numbers_found_and_missing() -> None:
    text = "净利润1,250,000,000元，增长3.4%"
    match = match_claim(
        claim_of("净利润12.5亿元，同比下降3.4%"),
        text,
        lambda number: find_same(number, numbers(text)),
    )
    assert len(match.same) == 1
    assert [number.direction for number in match.missing] == [-1]
    assert not match.is_held(0.5)


@pytest.mark.parametrize(
    ("stated", "golden", "contradicts"),
    [
        ("12.6亿元", "12.5亿元", True),
        ("12.5亿元和3亿元", "12.5亿元", False),
        ("3.4%", "12.5亿元", False),
        ("2022年", "2023年", False),
    ],
)
def test_only_another_value_of_the_same_kind_contradicts(
    stated: str, golden: str, contradicts: bool
) -> None:
    assert (contradicting(numbers(stated), numbers(golden)) is not None) is contradicts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("是，需要", True),
        ("否", False),
        ("不能。", False),
        ("Yes.", True),
        ("No. 5", None),
        ("金额", None),
    ],
)
def test_the_first_word_says_yes_or_no(text: str, said: bool | None) -> None:
    assert yes_or_no(text) is said


def test_a_denial_of_the_same_words_is_seen() -> None:
    assert denies(
        claim_of("自然人客户可以持仓进入交割月"), claim_of("自然人客户不得持仓进入交割月")
    )
    assert not denies(claim_of("不良贷款余额下降"), claim_of("不良贷款余额下降了"))
