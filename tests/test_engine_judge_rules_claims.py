"""Texts are cut into the statements a judge compares one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.judge.rules.claims import claims


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12.5亿元", ["12.5亿元"]),
        ("1,250,000元", ["1,250,000元"]),
        ("净利润12.5亿元，同比下降3.4%。", ["净利润12.5亿元", "同比下降3.4%。"]),
        ("金庸、倪匡、黄霑和蔡澜", ["金庸", "倪匡", "黄霑", "蔡澜"]),
        ("研究和开发", ["研究和开发"]),
        ("北区限制；南区销户", ["北区限制", "南区销户"]),
        ("Costs fell. Sales rose.", ["Costs fell.", "Sales rose."]),
        ("Research and development expense", ["Research and development expense"]),
        ("red, green and blue", ["red", "green", "blue"]),
        ("due March 31, 2023", ["due March 31, 2023"]),
        ("1. 首先核实\n2. 然后上报", ["首先核实", "然后上报"]),
        ("", []),
    ],
)
def test_texts_are_cut_into_statements(text: str, expected: list[str]) -> None:
    assert [claim.text for claim in claims(text)] == expected


def test_words_leave_out_numbers_and_their_units() -> None:
    (claim,) = claims("净利润12.5亿元")
    assert claim.words == ("净利润",)
    assert [number.value for number in claim.numbers] == [1_250_000_000]


@given(st.text(alphabet="净利润12.5亿元，。；、和 and,.1\n", max_size=60))
def test_every_number_is_in_one_claim_uncut(text: str) -> None:
    for claim in claims(text):
        assert all(0 <= number.start < number.end <= len(claim.text) for number in claim.numbers)
