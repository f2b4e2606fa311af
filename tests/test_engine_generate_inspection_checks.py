"""The five checks see what is wrong with an item, say so, and give a score from 1 to 5."""

from __future__ import annotations

import msgspec
import pytest
from generate_samples import CARD, FUND, OMNIEVAL, TASKS

from engine.generate.drafts import Aspect, Check, Grade
from engine.generate.inspection.by_rule import inspect_item, mend
from engine.generate.inspection.checks import check_item, score_of
from store.records import Evidence, ItemContent, Turn

FUND_TOPIC = next(topic for topic in OMNIEVAL.topics if topic.key == "fund")
QUOTE = "期末资产净值为26.84亿元，管理费率为0.60%，托管费率为0.15%。"
QUESTION = "云帆稳健债券型基金2024年第四季度的期末资产净值是多少？"


def evidence(quote=QUOTE, document=FUND):
    start = document.text.index(quote)
    return Evidence(document.document_id, start, start + len(quote), quote)


def item(question=QUESTION, answers=("26.84亿元",), passages=None, task="extractive", lang="zh"):
    turn = Turn(question, answers, passages if passages is not None else (evidence(),))
    return ItemContent((turn,), "fund", task, lang)


def grades(content, topic=FUND_TOPIC, documents=(FUND, CARD)):
    found = check_item(content, TASKS[content.task], documents, topic)
    assert [check.aspect for check in found] == list(Aspect)
    assert all(check.reason for check in found)
    return {check.aspect: check.grade for check in found}, score_of(found)


def test_a_good_item_meets_every_check():
    found, score = grades(item())
    assert set(found.values()) == {Grade.MET}
    assert score == 5


@pytest.mark.parametrize(
    ("content", "aspect", "grade", "most"),
    [
        (item("净值是多少？"), Aspect.QUESTION, Grade.PARTLY, 3),
        (item("根据文档，云帆基金的净值是多少？"), Aspect.QUESTION, Grade.FAILED, 2),
        (item("它的净值是多少？"), Aspect.QUESTION, Grade.FAILED, 2),
        (item("云帆基金今年的净值是多少？"), Aspect.QUESTION, Grade.PARTLY, 3),
        (item(answers=("31亿元",)), Aspect.ANSWER, Grade.FAILED, 2),
        (item(answers=()), Aspect.ANSWER, Grade.FAILED, 2),
        (item(answers=("无",)), Aspect.ANSWER, Grade.FAILED, 2),
        (item("云帆基金26.84亿元的净值是多少？"), Aspect.ANSWER, Grade.FAILED, 2),
        (item("云帆基金收费吗？", ("是",)), Aspect.TASK, Grade.FAILED, 2),
        (item(passages=()), Aspect.PASSAGES, Grade.FAILED, 3),
    ],
)
def test_what_is_wrong_is_graded(content, aspect, grade, most):
    found, score = grades(content)
    assert found[aspect] is grade
    assert score <= most


def test_a_passage_must_be_what_the_document_says_and_whole():
    wrong = msgspec.structs.replace(evidence(), quote=QUOTE.replace("26.84", "26.48"))
    assert grades(item(passages=(wrong,)))[0][Aspect.PASSAGES] is Grade.FAILED
    torn = evidence("产净值为26.84亿元，管理费率为0.60")
    assert grades(item(passages=(torn,)))[0][Aspect.PASSAGES] is Grade.PARTLY


def test_a_topic_without_a_word_in_the_item_is_doubted():
    other = next(topic for topic in OMNIEVAL.topics if topic.key == "blockchain")
    assert grades(item(), other)[0][Aspect.TOPIC] is Grade.PARTLY
    assert grades(item(), None)[0][Aspect.TOPIC] is Grade.MET


@pytest.mark.parametrize(
    ("question", "answer", "grade"),
    [
        ("云帆基金的管理费率比托管费率高多少个百分点？", "0.45个百分点", Grade.MET),
        ("云帆基金的管理费率比托管费率高多少个百分点？", "0.54个百分点", Grade.FAILED),
        ("云帆基金的管理费率与托管费率之和是多少？", "0.75%", Grade.MET),
    ],
)
def test_computed_answers_are_worked_out_again(question, answer, grade):
    assert grades(item(question, (answer,), task="multi_hop"))[0][Aspect.ANSWER] is grade


def test_a_multi_hop_question_that_one_sentence_answers_fails():
    found, _ = grades(item("云帆稳健债券型基金的期末资产净值是多少？", task="multi_hop"))
    assert found[Aspect.TASK] is Grade.FAILED


def test_a_contrast_needs_two_sides_and_two_documents():
    assert grades(item(task="contrast"))[0][Aspect.TASK] is Grade.FAILED
    compared = item("云帆基金与鹭鸟卡相比，哪个的费率更高？", task="contrast")
    assert grades(compared)[0][Aspect.TASK] is Grade.FAILED


def test_a_conversation_needs_turns_that_depend_on_the_first():
    first = Turn(QUESTION, ("26.84亿元",), (evidence(),))
    second = Turn("那管理费率呢？", ("0.60%",), (evidence(),))
    alone = Turn("云帆稳健债券型基金2024年第四季度的托管费率是多少？", ("0.15%",), (evidence(),))
    for turns, grade in (
        ((first, second), Grade.MET),
        ((first, alone), Grade.PARTLY),
        ((first, first), Grade.PARTLY),
        ((first,), Grade.FAILED),
    ):
        content = ItemContent(turns, "fund", "conversational", "zh")
        assert grades(content)[0][Aspect.TASK] is grade


def test_an_english_figure_without_its_unit_is_partly_right():
    row = "| Foreign purchase fees | 300 | 360 |"
    content = ItemContent(
        (Turn("For the Heron Credit Card, what were foreign purchase fees in 2024?", ("360",),
              (evidence(row, CARD),)),), "retail_banking", "extractive", "en",
    )  # fmt: skip
    assert grades(content, None)[0][Aspect.ANSWER] is Grade.PARTLY


def test_scores_fall_with_what_is_lost_and_stay_within_their_range():
    def made(**lost):
        return [Check(aspect, lost.get(aspect.value, Grade.MET), "x") for aspect in Aspect]

    assert score_of(made()) == 5
    assert score_of(made(topic=Grade.PARTLY)) == 4
    assert score_of(made(question=Grade.PARTLY)) == 3
    assert score_of(made(passages=Grade.FAILED)) == 3
    assert score_of(made(answer=Grade.FAILED)) == 2
    assert score_of([Check(aspect, Grade.FAILED, "x") for aspect in Aspect]) == 1


def inspected(content):
    return inspect_item(content, TASKS["extractive"], [FUND], FUND_TOPIC)


def test_inspection_keeps_corrects_or_rejects():
    assert inspected(item()).evaluation == 2
    assert inspected(item("云帆基金今年的净值是多少？")).evaluation == 1
    rejected = inspected(item(answers=("无",)))
    assert (rejected.evaluation, rejected.correction) == (0, None)
    assert rejected.reason


def test_a_passage_is_mended_to_the_documents_words():
    loose = Evidence(FUND.document_id, 3, 9, QUOTE.replace("，", ", "))
    found = inspected(item(passages=(loose,)))
    assert found.evaluation == 1
    assert "passage" in found.mended
    assert found.correction is not None
    assert found.correction.turns[0].evidence == (evidence(),)


def test_missing_forms_and_white_space_are_mended():
    mended, what = mend(item(QUESTION.replace("的", " 的", 1) + " ", ("26.84亿元", " ")), [FUND])
    assert set(what) == {"white_space", "answer_form"}
    assert mended.turns[0].golden_answers == ("26.84亿元", "2,684,000,000元")
    assert mend(mended, [FUND]) == (mended, ())


def test_a_passage_that_stands_nowhere_is_left_as_it_is():
    lost = Evidence(FUND.document_id, 0, 5, "没有写在任何地方的话")
    assert mend(item(passages=(lost,)), [FUND])[0].turns[0].evidence == (lost,)
