"""Content words: which a text has, and which of them another text holds."""

from __future__ import annotations

import random

import pytest

from engine.text.content_words import (
    content_terms,
    held_words,
    word_pattern,
    word_share,
    words_in,
)


def test_words_that_say_nothing_are_left_out_and_others_are_stemmed() -> None:
    assert content_terms("What were the annual bonuses?") == [
        "annual",
        "bonus",
    ]
    assert content_terms("该行的不良贷款率是多少？") == ["该行", "不良贷款", "率"]


def test_a_word_is_found_with_any_inflection_but_not_inside_another() -> None:
    pattern = word_pattern(["employ", "art", "总部"])
    assert pattern is not None
    assert words_in(pattern, "Employees left the party; 总部迁走") == {"employ", "总部"}
    assert word_pattern([]) is None


@pytest.mark.parametrize(
    ("words", "text", "share"),
    [
        (("净利润", "总部"), "净利润很高", 0.6),
        (("employ",), "She employs them", 1.0),
        (("art",), "party", 0.0),
        ((), "anything", 1.0),
    ],
)
def test_words_are_weighed_by_length(words: tuple[str, ...], text: str, share: float) -> None:
    assert word_share(words, text) == pytest.approx(share)


@pytest.mark.parametrize(
    ("words", "text", "held"),
    [
        (("rat", "rate"), "Rates rose", {"rate"}),
        (("rat", "rate"), "rates of rats", {"rat", "rate"}),
        (("bank",), "bankruptcies", set()),
        (("bank",), "banking, BANKED", {"bank"}),
        (("co2", "q3"), "CO2s in Q3", {"q3"}),
        (("净利", "利率"), "净利率", {"净利"}),
        (("基金", "基金净值"), "基金净值上涨", {"基金净值"}),
        (("t恤", "caf\u00e9"), "T恤 and caf\u00e9s", {"t恤", "caf\u00e9"}),
        (("st",), "\u017ft", {"st"}),
        ((), "anything", set()),
    ],
)
def test_of_words_that_overlap_the_first_and_longest_is_held(
    words: tuple[str, ...], text: str, held: set[str]
) -> None:
    assert held_words(words, text) == held


def test_what_is_held_is_what_a_pattern_finds() -> None:
    draw = random.Random(1)
    latin = ["rate", "rat", "rated", "loan", "co2", "q3", "2023", "2023a", "bank", "x", "K9"]
    letters = "基金净值上涨利率债券保费收入银行同比下降"

    def chinese(most: int) -> str:
        return "".join(draw.choices(letters, k=draw.randint(1, most)))

    def piece() -> str:
        ending = draw.choice(["", "", "s", "ing", "edly", "x9"])
        return draw.choice([chinese(4), draw.choice(latin) + ending, " ", "，", "-", "3.5%"])

    for _ in range(200):
        text = "".join(piece() for _ in range(draw.randint(1, 25)))
        words = [draw.choice([chinese(3), draw.choice(latin)]) for _ in range(draw.randint(1, 8))]
        pattern = word_pattern(words)
        assert pattern is not None
        assert held_words(words, text) == words_in(pattern, text) & set(words), (words, text)
