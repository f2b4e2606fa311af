"""Questions are told apart that lean on a document, on something before, or on today's date."""

from __future__ import annotations

import pytest

from engine.generate import question_text as q


@pytest.mark.parametrize(
    "question",
    ["根据文档，管理费是多少？", "文中提到的费率是多少？", "What does the passage say about fees?",
     "According to the given document, what is the fee?", "上述材料中谁是经理？"],
)  # fmt: skip
def test_questions_that_name_a_document_at_hand(question):
    assert q.names_the_document(question)


@pytest.mark.parametrize(
    "question",
    [
        "云帆基金的文件由谁签发？",
        "Which documents must a Heron card holder show?",
        "报告期是多长？",
    ],
)
def test_documents_as_a_matter_of_their_own_are_fine(question):
    assert not q.names_the_document(question)


@pytest.mark.parametrize(
    "question",
    ["那2023年呢？", "它的费率是多少？", "And in 2023?", "What about cash?", "What is its fee?",
     "其管理费是多少？", "By how much did it rise?"],
)  # fmt: skip
def test_questions_that_lean_on_an_earlier_one(question):
    assert q.leans_back(question)


@pytest.mark.parametrize(
    "question",
    ["云帆基金及其子基金的费率是多少？", "其他费用是多少？", "What did Heron say about its fees?"],
)
def test_pronouns_with_their_noun_in_the_question_do_not(question):
    assert not q.leans_back(question)


@pytest.mark.parametrize("answer", ["", "无", "none.", "N/A", "无法回答", "文档未提及该信息",
                                    "具有积极影响", "a positive impact"])  # fmt: skip
def test_answers_that_say_nothing(answer):
    assert q.says_nothing(answer)


@pytest.mark.parametrize("answer", ["无息贷款", "无担保", "None of the bidders withdrew", "0"])
def test_answers_that_begin_alike_say_something(answer):
    assert not q.says_nothing(answer)


def test_times_that_only_the_day_of_writing_makes_clear():
    assert q.relative_time("今年的净利润是多少？") == "今年"
    assert q.relative_time("What was revenue last quarter?") == "last quarter"
    assert not q.relative_time("2024年末的净值较上年同期如何？")


def test_yes_no_questions_and_affirmations():
    assert q.is_yes_no("云帆基金是否分红？")
    assert q.is_yes_no("Does the card have a fee?")
    assert not q.is_yes_no("What does the card cost?")
    assert q.affirms("是的，分红")
    assert not q.affirms("是云帆基金")


@pytest.mark.parametrize(
    ("question", "lang", "expected"),
    [
        ("商丘市进出口总值是多少？", "zh", True),
        ("净利润是多少？", "zh", False),
        ("What is the fee of the Heron Card?", "en", True),
        ("What was interest income in 2019?", "en", False),
    ],
)
def test_a_name_is_seen(question, lang, expected):
    assert q.names_a_thing(question, lang) is expected
