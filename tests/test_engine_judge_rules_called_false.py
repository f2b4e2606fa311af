"""What a prediction calls false is not said by it, in Chinese and English."""

from __future__ import annotations

import pytest

from engine.judge.base import Case
from engine.judge.rules.called_false import split_false
from engine.judge.rules.judge import judge_case
from store.records import Lang


@pytest.mark.parametrize(
    ("prediction", "false"),
    [
        ("The following is false: it rose to 5 %. Twice.", "it rose to 5 %. Twice."),
        ("False: it rose.", "it rose."),
        ("The following is wrong: it fell. In fact it rose to 5 %.", "it fell."),
        ("It is not true that it fell; it rose to 5 %.", "it fell"),
        ("It would be a mistake to think that it fell.", "it fell."),
        ("Sales rose. It fell. That claim is incorrect.", "It fell."),
        ('The claim "it rose" is false. It fell.', "it rose"),
        ("以下说法是错误的：上涨了5%。涨了两次。", "上涨了5%。涨了两次。"),
        ("下列说法不正确：下跌了。事实上上涨了5%。", "下跌了。"),
        ("上涨了5%，这种说法是错误的。", "上涨了5%，"),
        ("收入增长。上涨了5%。该说法不成立。", "上涨了5%。"),
        ("“上涨了5%”这一说法是错误的。", "上涨了5%"),
        ("说上涨了5%是不正确的。", "上涨了5%"),
    ],
)
def test_what_is_called_false_is_taken_out_in_its_place(prediction: str, false: str) -> None:
    said, called = split_false(prediction, ["5 %"], "")
    assert called == false
    assert len(said) == len(prediction)
    assert said.replace(" ", "") == prediction.replace(false, "").replace(" ", "")


@pytest.mark.parametrize(
    ("prediction", "golden", "asked"),
    [
        ("The following is true: it rose to 5 %.", "5 %", ""),
        ("The following is not false: it rose to 5 %.", "5 %", ""),
        ("This is wrong.", "5 %", ""),
        ("这并不是错误的说法：上涨了5%。", "5%", ""),
        # what is asked for is what is false
        ("The following is false: it rose to 5 %.", "It rose to 5 %", "Which claim is false?"),
        ("以下说法是错误的：上涨了5%。", "上涨了5%", "下列哪种说法是错误的？"),
        # a denial of the opposite
        ("It is false that sales rose.", "Sales did not rose.", ""),
        ("以下说法是错误的：公司分红了。", "公司没有分红", ""),
    ],
)
def test_nothing_is_taken_out_of_other_answers(prediction: str, golden: str, asked: str) -> None:
    assert split_false(prediction, [golden], asked) == (prediction, "")


@pytest.mark.parametrize(
    ("lang", "golden", "answer", "said"),
    [
        ("en", "It rose to 5 %.", "The following is false: It rose to 5 %.", "opposite"),
        ("en", "the audit committee", "It is wrong to say that the audit committee did.", "opp"),
        ("zh", "上涨了5%", "上涨了5%，这是不对的。", "肯定否定相反"),
    ],
)
def test_a_golden_answer_that_is_called_false_is_wrong(
    lang: Lang, golden: str, answer: str, said: str
) -> None:
    case = Case(1, "How much?", (), (golden,), answer, (), lang, closed_book=True)
    scores = {score.metric: score for score in judge_case(case)}
    assert scores["accuracy"].value == 0
    assert said in scores["accuracy"].reason
    assert scores["numerical_accuracy"].value in (0, None)
