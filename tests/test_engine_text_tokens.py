"""The token counter: its definition, and that counts add up."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.tokens import (
    CJK_CHARACTERS,
    continues_sequence,
    continues_word,
    count_tokens,
    token_starts,
)

MIXED = st.text(
    st.sampled_from("ab9 Zé中国，。.,%-_\n\t　かカ한〇e\u0301\u200d👩🏽ﾞ１")
    | st.characters(exclude_categories=["Cs"]),
    max_size=60,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t　", 0),
        ("营业收入", 4),
        ("营业收入增长。", 7),
        ("bank", 1),
        ("banks", 2),
        ("internationalisation", 5),
        ("a b", 2),
        ("12.5%", 4),
        ("2024年12.5亿元", 1 + 1 + 3 + 2),
        ("ROE净资产收益率", 1 + 6),
        ("snake_case", 2 + 1 + 1),
        ("二〇二六年", 5),
        ("かな カナ 한국", 6),
        ("cafe\u0301", 1),
        ("中\u0301", 1),
        ("👩🏽", 1),
    ],
)
def test_counts_by_the_definition(text, tokens):
    assert count_tokens(text) == tokens


@given(MIXED)
def test_equals_the_definition_written_as_a_pattern(text):
    plain = "".join(c for c in text if unicodedata.category(c)[0] != "M")
    plain = re.sub("[\u200c\u200d\U0001f3fb-\U0001f3ff]", "", plain)
    token = rf"[{CJK_CHARACTERS}]|[^\W_{CJK_CHARACTERS}]{{1,4}}|[^\w\s]|_"
    assert count_tokens(text) == len(re.findall(token, plain))


@given(MIXED)
def test_there_are_as_many_starts_as_tokens(text):
    starts = token_starts(text)
    assert len(starts) == count_tokens(text)
    assert starts == sorted(set(starts))


@given(MIXED)
def test_counts_add_up_at_token_starts(text):
    for number, start in enumerate(token_starts(text)):
        assert count_tokens(text[:start]) == number
        assert count_tokens(text[:start]) + count_tokens(text[start:]) == count_tokens(text)


@given(MIXED)
def test_white_space_adds_nothing_at_the_ends(text):
    assert count_tokens(f" \n{text}\t　") == count_tokens(text)


def test_a_combining_mark_continues_what_stands_before_it():
    assert continues_sequence("e\u0301", 1)
    assert continues_sequence("👩\u200d👧", 1)
    assert continues_sequence("👩\u200d👧", 2)
    assert not continues_sequence("ab", 1)
    assert not continues_sequence("ab", 0)
    assert not continues_sequence("ab", 2)


@given(MIXED)
def test_counts_add_up_wherever_no_word_is_cut(text):
    for at in range(len(text) + 1):
        if not continues_word(text, at):
            assert count_tokens(text[:at]) + count_tokens(text[at:]) == count_tokens(text)
