"""Chunks of a text: what every chunking must keep, and where it prefers to cut."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.corpus.chunking import check_settings, chunk
from engine.text.tokens import count_tokens
from store.errors import UsageError
from store.records import ChunkingSettings

PATIENT = hypothesis_settings(deadline=None)
"""The first words of a text load the segmenter's dictionary."""

PHRASES = st.sampled_from(
    [
        "营业收入",
        "同比增长12.5%",
        "，",
        "。",
        "”",
        "“",
        "\n",
        "\n\n",
        " ",
        "　",
        "net income ",
        "rose to 1,234.56 million",
        ". ",
        "; ",
        "No. 5 ",
        "internationalisation",
        "二十三亿",
        "-3.4 %",
        "cafe\u0301",
        "👩\u200d👧",
        "e\u0301\u0302\u0303",
        "| a | b |\n",
    ]
)
TEXTS = st.lists(PHRASES | st.text(max_size=8), max_size=60).map("".join)


@st.composite
def settings(draw):
    size = draw(st.integers(1, 40))
    overlap = draw(st.integers(0, size - 1))
    return ChunkingSettings(size, overlap, draw(st.sampled_from(["tokens", "chars"])))


def measure(text, unit):
    return count_tokens(text) if unit == "tokens" else len(text)


@PATIENT
@given(TEXTS, settings())
def test_every_character_but_white_space_is_covered_in_order(text, how):
    spans = chunk(text, how)
    covered = [False] * len(text)
    for start, end, _ in spans:
        covered[start:end] = [True] * (end - start)
    assert all(done or c.isspace() for done, c in zip(covered, text, strict=True))
    assert spans == sorted(spans)
    assert [end for _, end, _ in spans] == sorted({end for _, end, _ in spans})


@PATIENT
@given(TEXTS, settings())
def test_no_chunk_is_larger_than_the_size_nor_shares_more_than_the_overlap(text, how):
    spans = chunk(text, how)
    for start, end, tokens in spans:
        assert tokens == count_tokens(text[start:end])
        assert measure(text[start:end], how.unit) <= how.size
    for (_, end, _), (start, _, _) in pairwise(spans):
        assert start >= end or measure(text[start:end], how.unit) <= how.overlap


@PATIENT
@given(TEXTS, settings())
def test_cuts_lie_outside_words_numbers_and_combining_sequences(text, how):
    spans = chunk(text, how)
    if len(spans) < 2:
        return
    for start, end, _ in spans:
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        for cut in (start, end):
            check_cut(text, cut, how)


def check_cut(text, cut, how):
    if how.unit == "tokens" and 0 < cut < len(text) and not text[cut - 1].isspace():
        assert not unicodedata.category(text[cut]).startswith("M")
    for number in re.finditer(r"\d[\d,.]*\d(?:\s?%)?|[a-zA-Z]+", text, re.ASCII):
        if number.start() < cut < number.end():
            # only what fills a chunk by itself may be cut, together with what it is joined to
            atom = joined(text, number.start(), number.end())
            assert measure(atom, how.unit) > how.size


def joined(text, start, end):
    """The longest stretch without a clear pause around a word."""
    pause = re.compile(r"[\s。！？，、；：]")
    while start and not pause.match(text[start - 1]):
        start -= 1
    while end < len(text) and not pause.match(text[end]):
        end += 1
    return text[start : end + 3]


@PATIENT
@given(TEXTS, settings())
def test_a_text_within_the_size_is_one_chunk_over_all_of_it(text, how):
    if text.strip() and measure(text, how.unit) <= how.size:
        assert chunk(text, how) == [(0, len(text), count_tokens(text))]


@PATIENT
@given(TEXTS, settings())
def test_cutting_twice_gives_the_same_spans(text, how):
    assert chunk(text, how) == chunk(text, how)


@pytest.mark.parametrize("text", ["", "   \n\n　"])
def test_white_space_alone_has_no_chunk(text):
    assert chunk(text, ChunkingSettings()) == []


def texts(text, how):
    return [text[start:end] for start, end, _ in chunk(text, how)]


def test_a_paragraph_end_is_preferred_to_a_later_sentence_end():
    text = "一二三四五六七八九。\n\n甲乙丙丁。戊己庚辛。壬癸子丑。"
    assert texts(text, ChunkingSettings(16, 0)) == [
        "一二三四五六七八九。",
        "甲乙丙丁。戊己庚辛。壬癸子丑。",
    ]


def test_a_sentence_end_is_preferred_to_a_later_clause_end():
    text = "收入上升。利润下降，成本上升，税费不变。"
    assert texts(text, ChunkingSettings(9, 0))[0] == "收入上升。"


def test_a_clause_end_is_taken_where_no_sentence_ends():
    text = "revenue rose in the first quarter, profit fell in the second quarter of it"
    assert texts(text, ChunkingSettings(14, 0))[0] == "revenue rose in the first quarter,"


def test_the_overlap_starts_at_a_sentence_start():
    text = "收入上升了。利润下降了。成本上升了。税费不变了。"
    assert texts(text, ChunkingSettings(12, 7)) == [
        "收入上升了。利润下降了。",
        "利润下降了。成本上升了。",
        "成本上升了。税费不变了。",
    ]


def test_the_overlap_starts_at_a_word_where_no_sentence_fits():
    spans = chunk(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa", ChunkingSettings(8, 3)
    )
    assert all(start < end for (_, end, _), (start, _, _) in pairwise(spans))


def test_a_word_longer_than_a_chunk_is_cut_into_chunks():
    spans = chunk("a" * 100, ChunkingSettings(10, 2))
    assert [(start, end) for start, end, _ in spans] == [(0, 40), (40, 80), (80, 100)]


def test_a_long_text_fills_its_chunks_beyond_their_half():
    text = "本行净利润同比增长，资产质量保持稳定。" * 400
    tokens = [count for _, _, count in chunk(text, ChunkingSettings(512, 64))]
    assert min(tokens[:-1]) > 256


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (-5, 0), (10, 10), (10, 11), (10, -1)])
def test_settings_that_cannot_be_met_are_refused_with_a_remedy(size, overlap):
    with pytest.raises(UsageError) as caught:
        chunk("text", ChunkingSettings(size, overlap))
    assert "--chunk-" in caught.value.command


def test_the_default_settings_are_sound():
    check_settings(ChunkingSettings())


@pytest.mark.parametrize("mark", [".", "!", ",", "$", "-"])
def test_a_mark_without_end_is_cut_in_the_time_of_its_length(mark):
    text = f"Loans {mark * 60_000}x"
    spans = chunk(text, ChunkingSettings())
    assert (spans[0][0], spans[-1][1]) == (0, len(text))
