"""What an audit does to answers by rule."""

from __future__ import annotations

import pytest

from engine.calibration.audit.changes import CHANGES, Around
from engine.judge.base import Case
from engine.text.numbers import find_same, numbers
from store.records import Lang, Passage


def case(answer: str, *golden: str, lang: Lang = "en", question: str = "How much?") -> Case:
    passages = (Passage("d1", "", "first", 0), Passage("d2", "", "second", 0))
    return Case(1, question, (), golden or (answer,), answer, passages, lang)


OTHER = case("seven towns")
AROUND = Around("my-model", OTHER)


def changed(key: str, given: Case, around: Around = AROUND) -> Case | None:
    (change,) = (one for one in CHANGES if one.name == key)
    return change.make(given, around)


@pytest.mark.parametrize(
    ("key", "given", "wanted"),
    [
        ("length", case("12 %"), '12 % To answer the question "How much?" once more: 12 %'),
        ("length", case("12%", lang="zh", question="多少？"), "12%再次回答“多少？”这一问题：12%"),
        ("notation", case("1,234,567 euros"), "1234567 euros"),
        ("notation", case("1234567 euros"), "1,234,567 euros"),
        ("notation", case("增长3.4%", lang="zh"), "增长３.４％"),
        ("authority", case("12"), "According to an independent expert review: 12"),
        ("own-family", case("12"), "As stated by my-model: 12"),
        ("own-family", case("12", lang="zh"), "my-model 的回答：12"),
        ("golden", case("12", "13"), "13"),
        ("wrong-number", case("x", "about 12 %"), "about 22 %"),
        ("wrong-number", case("x", "达9亿元", lang="zh"), "达1亿元"),
        ("denied", case("x", "12"), "The following is false: 12"),
        ("wrong-answer", case("12"), "seven towns"),
    ],
)
def test_an_answer_is_changed_by_rule(key: str, given: Case, wanted: str) -> None:
    made = changed(key, given)
    assert made is not None
    assert made.answer == wanted


def test_both_sources_and_both_authors_are_as_long() -> None:
    for lang in ("en", "zh"):
        given = case("12", lang=lang)
        for one, other in (("authority", "unfounded"), ("own-family", "other-label")):
            made = [changed(key, given) for key in (one, other)]
            lengths = {len(each.answer) for each in made if each is not None}
            assert len(made) == 2
            assert len(lengths) == 1


def test_passages_are_read_in_reverse() -> None:
    made = changed("order", case("12"))
    assert made is not None
    assert [one.text for one in made.passages] == ["second", "first"]


def test_another_notation_states_the_same_numbers() -> None:
    made = changed("notation", case("from 10,000 to 12,500 in 2023"))
    assert made is not None
    before, after = numbers("from 10,000 to 12,500 in 2023"), numbers(made.answer)
    assert len(before) == len(after) == 3
    assert all(find_same(one, [other]) for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize(
    ("key", "given", "around"),
    [
        ("notation", case("no figure"), AROUND),
        ("wrong-number", case("no figure"), AROUND),
        ("wrong-answer", case("Seven  towns"), AROUND),
        ("wrong-answer", case("12"), Around("m", None)),
    ],
)
def test_what_cannot_be_changed_is_left_out(key: str, given: Case, around: Around) -> None:
    assert changed(key, given, around) is None


def test_a_changed_number_is_no_other_golden_one() -> None:
    made = changed("wrong-number", case("x", "10 or 5", "20"))
    assert made is not None
    assert made.answer == "10 or 6"
