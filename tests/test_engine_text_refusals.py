"""Refusals and denials are told apart from answers that only sound like them."""

from __future__ import annotations

import pytest

from engine.text.refusals import is_refusal, negates


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("根据检索到的资料无法回答该问题。", True),
        ("The provided context does not mention this.", True),
        ("I don't know.", True),
        ("", True),
        ("对无法核实受益所有人的客户限制非柜面交易", False),
        ("Customers who do not answer a review request are limited.", False),
        ("12.5亿元", False),
    ],
)
def test_refusals_are_told_from_answers_that_deny(text: str, refuses: bool) -> None:
    assert is_refusal(text) is refuses


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        ("不得提前支取", True),
        ("It is not insured.", True),
        ("不良贷款率上升", False),
        ("Noted.", False),
    ],
)
def test_a_denial_is_known_by_its_words(text: str, denies: bool) -> None:
    assert negates(text) is denies
