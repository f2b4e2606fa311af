"""Retrieved texts fitted to a limit of tokens."""

from __future__ import annotations

import pytest

from engine.judge.documents import fitted
from engine.text.tokens import count_tokens
from store.records import Lang, Passage

TEXTS: dict[Lang, tuple[str, ...]] = {
    "en": ("The rate rose. It fell in May.", "Bonds were sold. Nobody knows why.", "The end."),
    "zh": ("利率上升。五月下降。", "债券已售出。原因不明。", "完。"),
}


def passages(lang: Lang) -> list[Passage]:
    return [Passage(str(n), f"T{n}", text, 0) for n, text in enumerate(TEXTS[lang])]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_passages_are_whole_from_the_best_down_and_the_last_is_cut_behind_a_sentence(
    lang: Lang,
) -> None:
    given = passages(lang)
    first = count_tokens(TEXTS[lang][0]) + 1
    second = TEXTS[lang][1]
    sentence = second[: second.index("." if lang == "en" else "。") + 1]
    found = fitted(given, first + count_tokens(sentence) + 2)
    assert [one.text for one in found.passages] == [TEXTS[lang][0], sentence]
    assert (found.whole, found.left_out) == (1, 1)
    assert found.told(30) == {
        "documents": {
            "whole": 1,
            "cut": 1,
            "left_out": 1,
            "tokens": found.tokens,
            "limit": 30,
        }
    }


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("limit", [1, 4, 9, 17, 23, 1000])
def test_never_more_than_the_limit_but_the_best_title_and_word(lang: Lang, limit: int) -> None:
    found = fitted(passages(lang), limit)
    assert found.tokens == sum(count_tokens(p.title) + count_tokens(p.text) for p in found.passages)
    assert found.tokens <= max(limit, 2)
    assert found.passages


def test_all_that_fits_is_as_it_was_and_nothing_is_told() -> None:
    found = fitted(passages("en"), 1000)
    assert list(found.passages) == passages("en")
    assert found.told(1000) is None
    assert fitted([], 5).passages == ()


def test_of_a_best_passage_without_a_short_sentence_whole_words_are_kept() -> None:
    long = Passage("d", "", "unending " * 50, 0)
    (only,) = fitted([long], 7).passages
    assert only.text == "unending unending unending"
