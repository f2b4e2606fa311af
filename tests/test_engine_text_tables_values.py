"""What a cell of a table holds."""

from __future__ import annotations

import pytest

from engine.text.tables.values import is_value


@pytest.mark.parametrize(
    "text",
    ["1,000", "$ 1,000", "(10)", "(11.6) pts", "12.5%", "（3.2）", "¥5", "—", "$—", "不适用", "-7"],
)
def test_a_number_in_any_dress_is_a_value(text):
    assert is_value(text)


@pytest.mark.parametrize("text", ["Item 1.", "June 25, 2022", "2024 report", "", "净利润"])
def test_text_is_no_value(text):
    assert not is_value(text)
