"""Sentences cover a text exactly, in Chinese and English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "利润增长。收入下降！为何？因为成本；",
            ["利润增长。", "收入下降！", "为何？", "因为成本；"],
        ),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("不确定……也许吧", ["不确定……", "也许吧"]),
        ("净利润12.5亿元，同比-3.4%。完", ["净利润12.5亿元，同比-3.4%。", "完"]),
        (
            "It rose 3.4% to $1.2 billion. Costs fell.",
            ["It rose 3.4% to $1.2 billion.", "Costs fell."],
        ),
        ("Sales in the U.S. market grew. Good.", ["Sales in the U.S. market grew.", "Good."]),
        ("He left the U.S. The firm stayed.", ["He left the U.S.", "The firm stayed."]),
        ("Apple Inc. and Dr. J. K. Smith met.", ["Apple Inc. and Dr. J. K. Smith met."]),
        ("See Note 3. It says (yes.) Done.", ["See Note 3.", "It says (yes.)", "Done."]),
        ("See No. 5 of Fig. 2, e.g. The table.", ["See No. 5 of Fig. 2, e.g. The table."]),
        ("1. First item\n2. Second item", ["1. First item", "2. Second item"]),
        ("one line\r\nTwo lines", ["one line", "Two lines"]),
        (
            "the sentence is wrapped\nand goes on. End",
            ["the sentence is wrapped\nand goes on.", "End"],
        ),
        ("第一段\n第二段", ["第一段", "第二段"]),
        ("| a. B | 1. 5 |\n| --- | --- |\nText", ["| a. B | 1. 5 |", "| --- | --- |", "Text"]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_known_texts_split_as_a_reader_would(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(st.text(alphabet="aB1。.！? \n|，“”)中U…", max_size=80) | st.text(max_size=80))
def test_sentences_cover_the_text_without_overlap(text: str) -> None:
    spans = sentences(text)
    covered = "".join(text[start:end] for start, end in spans)
    gaps = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    assert all(start < end for start, end in spans)
    assert all(not text[a:b].strip() for a, b in zip(*gaps, strict=True))
    assert "".join(covered.split()) == "".join(text.split())


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3))
def test_a_number_is_never_cut(value: object) -> None:
    for text in (f"It was {value} in total. Then", f"共{value}元。然后"):
        assert any(str(value) in sentence for sentence in split(text))
