"""Signs beside an answer: sentences that the retrieved texts bear out, numbers against the gold."""

from __future__ import annotations

from engine.labelling.reading.answer_reading import read_answer
from engine.labelling.reading.answer_records import AnswerReading
from store.records import Passage

QUESTION = "公司2023年净利润同比变动多少？"
REPORT = Passage("d", "年报", "归属于母公司股东的净利润为12.5亿元，上年为12.94亿元，同比下降3.4%。")


def texts(answer: str, reading: AnswerReading) -> list[tuple[str, str, bool]]:
    return [(answer[one.start : one.end], one.golden, one.is_same) for one in reading.numbers]


def test_a_number_that_goes_against_the_golden_answer_is_told_with_it() -> None:
    answer = "净利润为12.5亿元，同比增长3.4%。"
    reading = read_answer(QUESTION, ["下降3.4%"], answer, [REPORT])
    assert texts(answer, reading) == [("3.4%", "-3.4%", False)]
    assert reading.numbers[0].stated == "+3.4%"
    assert reading.missing == ("-3.4%",)


def test_the_same_number_in_another_notation_agrees() -> None:
    answer = "It fell by 3.40 percent to 1.25 billion."
    reading = read_answer("How did it change?", ["down 3.4%"], answer, None)
    assert [(text, same) for text, _, same in texts(answer, reading)] == [("3.40 percent", True)]
    assert reading.missing == ()
    assert [one.is_borne_out for one in reading.sentences] == [None]


def test_each_sentence_says_whether_the_retrieved_texts_bear_it_out() -> None:
    answer = "净利润为12.5亿元，上年为12.94亿元。\n管理层预计明年净利润翻番。"
    reading = read_answer(QUESTION, ["下降3.4%"], answer, [REPORT])
    assert [one.is_borne_out for one in reading.sentences] == [True, False]
    assert [answer[one.start : one.end][-3:] for one in reading.sentences] == ["亿元。", "翻番。"]


def test_an_empty_answer_and_an_answer_without_gold_have_no_signs() -> None:
    assert read_answer(QUESTION, ["下降3.4%"], "", []) == AnswerReading((), (), ("-3.4%",))
    reading = read_answer(QUESTION, [], "3.4%", [REPORT])
    assert (reading.numbers, reading.missing) == ((), ())
