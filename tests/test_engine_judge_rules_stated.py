"""The rule judge catches numbers that were changed, hedged, taken back, swapped or denied."""

from __future__ import annotations

from collections import defaultdict

import pytest
from planted_answers import Source, own_sources, passes, planted, shared_sources

from engine.judge.base import Case
from engine.judge.rules.claims import measures
from engine.judge.rules.judge import judge_case
from engine.judge.rules.stated import read

LEAST_CAUGHT = 0.995
"""Of errors in an answer that is one number."""
LEAST_CAUGHT_IN_TEXT = 0.95
"""Of errors in longer answers."""
LEAST_CAUGHT_CALLED_FALSE = 0.9
"""Of golden answers that the prediction calls false."""
LEAST_ACCEPTED = 0.97


def shares(sources: list[Source]) -> tuple[dict[str, float], dict[str, float]]:
    """The share of errors that are caught and of right answers that are accepted, by the first
    word of their kind, and what was missed."""
    caught: dict[str, list[bool]] = defaultdict(list)
    accepted: dict[str, list[bool]] = defaultdict(list)
    for answer in planted(sources):
        group = answer.kind.split()[0]
        if answer.right:
            accepted[group].append(passes(answer))
        else:
            caught[group].append(not passes(answer))
    return (
        {group: sum(all_) / len(all_) for group, all_ in caught.items()},
        {group: sum(all_) / len(all_) for group, all_ in accepted.items()},
    )


def test_errors_in_the_small_set_are_caught_and_what_is_right_accepted() -> None:
    caught, accepted = shares(own_sources())
    assert caught["lone"] == 1
    assert caught["text"] >= LEAST_CAUGHT_IN_TEXT
    assert caught["false"] >= LEAST_CAUGHT_CALLED_FALSE
    assert accepted == {"unaltered": 1, "lone": 1, "text": 1, "true": 1}


@pytest.mark.slow
def test_errors_in_real_answers_are_caught_and_what_is_right_accepted() -> None:
    sources = [source for source in shared_sources() if not source.seen]
    if not sources:
        pytest.skip("the shared data are not on this machine")
    caught, accepted = shares(sources)
    assert caught["lone"] >= LEAST_CAUGHT
    assert caught["text"] >= LEAST_CAUGHT_IN_TEXT
    assert caught["false"] >= LEAST_CAUGHT_CALLED_FALSE
    assert accepted["unaltered"] == accepted["true"] == 1
    assert min(accepted["lone"], accepted["text"]) >= LEAST_ACCEPTED


def values(question: str, golden: str, answer: str) -> tuple[float | None, float | None]:
    """Accuracy and numerical accuracy."""
    case = Case(1, question, (), (golden,), answer, (), "en", closed_book=True)
    by_metric = {score.metric: score.value for score in judge_case(case)}
    return by_metric["accuracy"], by_metric["numerical_accuracy"]


@pytest.mark.parametrize(
    ("golden", "answer"),
    [
        ("12.5%", "12.5%, or 13.5%, or 14.5%"),
        ("12.5%", "可能是12.5%、13.5%或者14.5%"),
        ("1.2 billion", "1.2 billion, actually 3.4 billion"),
        ("1.2 billion", "It was not 1.2 billion but 3.4 billion."),
        ("from 3% to 5%", "from 5% to 3%"),
        ("从3%升至5%", "由5%升至3%"),
        ("支付了500万元", "没有支付500万元"),
        (
            "Revenue was $5 million, and profit was $3 million.",
            "Profit was $5 million, and revenue was $3 million.",
        ),
        ("2023年10月13日", "2023年10月"),
        ("March 15, 2010", "2010"),
    ],
)
def test_a_number_that_is_not_stated_in_earnest_is_not_right(golden: str, answer: str) -> None:
    accuracy, numerical = values("How much?", golden, answer)
    assert accuracy is not None
    assert accuracy < 2
    assert numerical == 0


@pytest.mark.parametrize(
    ("golden", "answer"),
    [
        ("5 or 10 days", "It takes 5 or 10 days."),
        ("12.5%", "根据参考材料2，为12.5%[3]"),
        (
            "The 3 reasons are: 1. cost, 2. time and 3. risk",
            "1. cost, 2. time, 3. risk: 3 reasons are",
        ),
        ("从3%升至5%", "由3%升至5%"),
        ("不低于500万元", "不低于500万元。"),
    ],
)
def test_what_the_golden_answer_says_itself_is_right(golden: str, answer: str) -> None:
    assert values("How much?", golden, answer)[1] in (1, None)


def test_a_changed_number_of_the_question_contradicts() -> None:
    question = "What did the 12 plants of Dunmore make?"
    golden = "The 12 plants of Dunmore made paper and board for the export."
    assert values(question, golden, golden)[0] == 2
    assert values(question, golden, golden.replace("12", "13")) == (0, None)


def test_a_date_may_leave_out_the_year_that_the_question_names() -> None:
    assert values("When in 2023 did it open?", "2023年8月15日", "8月15日")[1] == 1
    assert values("When did it open?", "2023年8月15日", "8月15日")[1] == 0


def test_marks_of_lists_and_sources_are_no_numbers_of_the_answer() -> None:
    text = "1. 根据参考材料2，利润为5亿元[3]。\n2. 收入为9亿元。"
    assert [text[one.start : one.end] for one in measures(text)] == ["5亿元", "9亿元"]


def test_a_reading_pairs_the_numbers_that_stand_in_one_place() -> None:
    golden, answer = (
        "营业收入为52.5亿元，净利润为3.4亿元。",
        "营业收入为3.4亿元，净利润为52.5亿元。",
    )
    pairs = read(golden, answer, "").changed
    assert [(int(gold.value), int(other.value)) for gold, other in pairs[:2]] == [
        (5_250_000_000, 340_000_000),
        (340_000_000, 5_250_000_000),
    ]
