"""Content words: which a text has, and which of them another text holds."""

from __future__ import annotations

import pytest

from engine.text.content_words import content_terms, word_pattern, word_share, words_in


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
