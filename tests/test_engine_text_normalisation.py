"""The stored form of a text: what goes, what stays, and that doing it twice changes nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.normalisation import detect_lang, document_id, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ufeff收入", "收入"),
        ("a\r\nb\rc\u2028d\fe", "a\nb\nc\nd\ne"),
        ("a\0b\x07c\x1b[31m", "abc[31m"),
        ("a\tb", "a\tb"),
        ("e\u0301", "é"),
        ("１２ ﬁ ㎡", "１２ ﬁ ㎡"),
        ("inter\u00adest zero\u200bwidth", "interest zerowidth"),
        ("line  \nnext　\nlast\t", "line\nnext\nlast"),
        ("\n \n  indented\n\n\ninner\n \n", "  indented\n\n\ninner"),
        ("　　段落", "　　段落"),
        ("bad \ud800 one", "bad \ufffd one"),
        (" \n\t\n", ""),
        ("", ""),
    ],
)
def test_takes_away_what_cannot_be_seen_and_no_more(text, expected):
    assert normalise(text) == expected


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Z", "C"]), max_size=60))
def test_is_idempotent_and_can_be_written_to_a_file(text):
    once = normalise(text)
    assert normalise(once) == once
    assert once.encode("utf-8").decode("utf-8") == once


def test_the_id_is_tagged_and_does_not_depend_on_invisible_differences():
    name = document_id("净利润\n12.5亿元")
    assert re.fullmatch("d[0-9a-f]{32}", name)
    assert document_id("\ufeff净利润 \r\n12.5亿元\n\n") == name
    assert document_id("净利润\n125亿元") != name


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("净利润同比增长", "zh"),
        ("Net income rose", "en"),
        ("", "en"),
        ("123 456", "en"),
        ("公司的ROE为12.5%，EPS为1.2元", "zh"),
        ("The bank (中国银行) reported its annual results today", "en"),
        ("2024年 12.5% 3.1% 4.4%", "zh"),
    ],
)
def test_tells_chinese_from_english_by_the_share_of_han_letters(text, lang):
    assert detect_lang(text) == lang
