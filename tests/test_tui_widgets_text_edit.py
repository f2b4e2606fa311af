"""Typing in a text: every offset lies on a line, a step is a whole character, nothing is lost."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from engine.text.wrapping import cell_width
from tui.widgets.text_edit import (
    after,
    before,
    column_of,
    line_of,
    lines_to_edit,
    offset_at,
    typed,
    word_after,
    word_before,
)

TEXTS = (
    "",
    "\n",
    "a  ",
    "第一行\n第二行，带有标点。\n",
    "基金净值上涨2.1%，规模达12.5亿元。Net cash rose 3.5% to $12.5 million.",
    "  indented words go on\n\n   \nand end  ",
    "e\u0301te\u0301 👩\u200d👩\u200d👧 🇨🇳 中",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [2, 7, 12, 40])
def test_every_offset_of_a_text_is_on_a_line(text: str, width: int) -> None:
    lines = lines_to_edit(text, width)
    assert lines[0][0] == 0
    assert lines[-1][1] == len(text)
    for (_, end), (start, _) in pairwise(lines):
        assert text[end:start] in ("", "\n"), "only a newline stands between two lines"
    for at in range(len(text) + 1):
        start, end = lines[line_of(lines, at)]
        assert start <= at <= end


def test_no_line_to_edit_begins_with_closing_punctuation() -> None:
    text = TEXTS[4] * 5
    for start, _ in lines_to_edit(text, 14)[1:]:
        assert text[start] not in "，。%"


@pytest.mark.parametrize("text", TEXTS)
def test_steps_to_the_right_and_to_the_left_meet(text: str) -> None:
    there, at = [0], 0
    while at < len(text):
        at = after(text, at)
        there.append(at)
    back = [at]
    while at > 0:
        at = before(text, at)
        back.append(at)
    assert back == there[::-1]


def test_a_step_goes_over_a_letter_with_its_accent_and_over_a_joined_emoji() -> None:
    text = TEXTS[6]
    assert after(text, 0) == 2
    family = text.index("👩")
    assert after(text, family) == text.index(" ", family)


def test_words_are_runs_of_chinese_and_words_of_letters() -> None:
    text = "净利润rose 3.5%，增长"
    assert word_after(text, 0) == 3
    assert word_after(text, 3) == 7
    assert word_before(text, len(text)) == text.index("增")
    assert word_before(text, 2) == 0


def test_a_column_leads_back_to_its_offset_over_wide_characters() -> None:
    draw = random.Random(3)
    for _ in range(200):
        text = "".join(draw.choice("a中，1 é。") for _ in range(draw.randint(1, 30)))
        line = (0, len(text))
        for at in range(len(text) + 1):
            column = column_of(text, line, at)
            assert column == cell_width(text[:at])
            assert offset_at(text, line, column) == at


def test_what_is_pasted_keeps_its_lines_and_loses_what_could_move_the_cursor() -> None:
    assert typed("一\r\n二\r三\x1b[2J\tx\u202e") == "一\n二\n三[2J\tx"
