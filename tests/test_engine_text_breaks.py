"""Where a text may be parted: sentences, clauses and words of Chinese and English."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.text.breaks import Strength, strong_breaks, weak_breaks, word_breaks


def parts(text, breaks):
    places = [0, *(at for at, _ in breaks), len(text)]
    return [text[start:end] for start, end in pairwise(places) if text[start:end]]


@pytest.mark.parametrize(
    "expected",
    [
        ["收入增长。", "利润下降！", "为何？"],
        ["他说：“收入增长。”", "随后离开。"],
        ["Revenue rose. ", "Profit fell! ", "Why?"],
        ["It rose 3.5 percent to 12.5 million. ", "Then it fell."],
        ["See No. 5 of Mr. Smith and J. Doe. ", "It holds."],
        ["第一段。\n", "第二段。"],
        ["Title\n\n", "Text follows. ", "More."],
        ["什么?", "他说 3.中国"],
        ["Wait... ", "Go."],
    ],
)
def test_sentences_end_where_a_reader_sees_them_end(expected):
    text = "".join(expected)
    assert parts(text, strong_breaks(text)) == expected


def test_a_blank_line_is_stronger_than_a_sentence_end():
    strengths = [strength for _, strength in strong_breaks("One. Two.\n\nThree。\nFour.\nFive.")]
    sentence, paragraph = Strength.SENTENCE, Strength.PARAGRAPH
    assert strengths == [sentence, paragraph, paragraph, sentence]


@pytest.mark.parametrize(
    "expected",
    [
        ["收入增长，", "利润下降；", "原因：", "成本"],
        ["Revenue, ", "1,234.5 in all, ", "rose"],
        ["| a | b |\n", "| c | d |"],
        ["甲,", "乙"],
    ],
)
def test_clauses_and_lines(expected):
    text = "".join(expected)
    assert parts(text, weak_breaks(text)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["净利润", "为", "-12.5亿元"],
        ["rose ", "12,345.67 % ", "in ", "2026-10-01 ", "(Q3) ", "to ", "$3.4"],
        ["占", "百分之三十五，", "约", "二十三亿"],
        ["“稳健”", "don't"],
    ],
)
def test_words_and_numbers_are_whole(expected):
    text = "".join(expected)
    found = set(parts(text, word_breaks(text)))
    numbers = [part for part in expected if any(c.isdigit() or c in "三亿" for c in part)]
    for number in numbers:
        core = number.removesuffix("元").strip("，")
        assert any(core in part for part in found), (number, found)
    assert "".join(parts(text, word_breaks(text))) == text


def test_no_break_falls_inside_a_combining_sequence():
    text = "增长。\u0301后 a,\u0301 b"
    for breaks in (strong_breaks(text), weak_breaks(text), word_breaks(text)):
        assert all(at >= len(text) or text[at] != "\u0301" for at, _ in breaks)
