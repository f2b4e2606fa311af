"""Replies are read strictly: parsed, empty, refused or unparsed, with every problem listed."""

from __future__ import annotations

import json

import pytest
from generate_samples import CARD, FUND, TASKS
from msgspec.structs import replace

from engine.generate.replies import read_generation, read_inspection
from engine.models.replies import ReplyState
from store.records import Evidence, ItemContent, Turn

QUOTE = "期末资产净值为26.84亿元，管理费率为0.60%，托管费率为0.15%。"
GOOD = {
    "thought_process": "t",
    "question": "云帆稳健债券型基金2024年第四季度末的资产净值是多少？",
    "answer": ["26.84亿元"],
    "relevant_passage": [QUOTE],
}


def read(value, key="extractive", documents=(FUND,)):
    raw = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return read_generation(raw, documents, "fund", TASKS[key], "zh")


def codes(found):
    return [problem.code for item in found.items for problem in item.problems]


def test_a_good_item_has_offsets_topic_task_and_facets():
    found = read([GOOD])
    assert found.state is ReplyState.PARSED
    (content,) = found.taken
    (evidence,) = content.turns[0].evidence
    assert FUND.text[evidence.start : evidence.end] == evidence.quote == QUOTE
    assert (content.topic, content.task, content.lang) == ("fund", "extractive", "zh")
    assert content.facets == {"documents": 1}


@pytest.mark.parametrize(
    ("raw", "state"),
    [
        ("[]", ReplyState.EMPTY),
        ("```json\\n[]\\n```", ReplyState.UNPARSED),
        ("抱歉，我无法生成。", ReplyState.REFUSED),
        ("I'm sorry, but I can't help with that.", ReplyState.REFUSED),
        ("这是一篇好文档。", ReplyState.UNPARSED),
        ("", ReplyState.UNPARSED),
        ('[{"question": "q', ReplyState.UNPARSED),
        ("42", ReplyState.UNPARSED),
    ],
)
def test_the_state_of_a_reply(raw, state):
    if raw.startswith("```"):
        raw, state = "```json\n[]\n```", ReplyState.EMPTY
    assert read(raw).state is state


def test_one_object_or_a_fenced_list_of_several_are_items():
    assert len(read(GOOD).taken) == 1
    fenced = f"好的：\n```json\n{json.dumps([GOOD, {**GOOD, 'question': '云帆基金的净值？'}])}\n```"
    assert len(read(fenced).taken) == 2


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"question": " "}, "no_question"),
        ({"question": "根据文档，净值是多少？"}, "names_document"),
        ({"question": "它的净值是多少？"}, "not_self_contained"),
        ({"answer": []}, "no_answer"),
        ({"answer": ["无法回答"]}, "empty_answer"),
        ({"question": "云帆基金是否收费？", "answer": ["是"]}, "affirmed_yes_no"),
        ({"relevant_passage": []}, "no_evidence"),
        ({"relevant_passage": ["期末资产净值为30亿元"]}, "evidence_not_verbatim"),
    ],
)
def test_fatal_problems_keep_an_item_out(changes, code):
    found = read([{**GOOD, **changes}])
    assert found.state is ReplyState.PARSED
    assert found.taken == ()
    assert code in codes(found)


def test_small_problems_are_mended_and_told():
    changes = {
        "answer": [26.84, "26.84亿元", " "],
        "relevant_passage": f"“{QUOTE.replace('，', ', ')}”",
    }
    found = read([{**GOOD, **changes}])
    (content,) = found.taken
    assert content.turns[0].golden_answers == ("26.84", "26.84亿元")
    assert content.turns[0].evidence[0].quote == QUOTE
    assert codes(found) == ["number_as_answer", "answer_left_out", "evidence_mended"]


def test_a_member_that_is_no_object_is_named_and_the_others_stay():
    found = read([GOOD, "x"])
    assert len(found.taken) == 1
    assert codes(found) == ["not_an_object"]


def test_a_conversation_is_one_item_of_two_turns_or_more():
    second = {**GOOD, "question": "那管理费率呢？", "answer": ["0.60%"]}
    found = read([GOOD, second], "conversational")
    assert [len(content.turns) for content in found.taken] == [2]
    assert [
        len(content.turns) for content in read([[GOOD, second]] * 2, "conversational").taken
    ] == [2, 2]
    assert codes(read([GOOD], "conversational")) == ["too_few_turns"]


def test_evidence_names_the_document_it_stands_in():
    both = {**GOOD, "relevant_passage": [QUOTE, "The annual fee is 36 pounds."]}
    found = read([both], "contrast", (CARD, FUND))
    documents = [unit.document_id for unit in found.taken[0].turns[0].evidence]
    assert documents == [FUND.document_id, CARD.document_id]


ITEM = ItemContent(
    (Turn("云帆基金的净值？", ("26亿元",), (Evidence(FUND.document_id, 0, 1, FUND.text[0]),)),),
    "fund", "extractive", "zh", {"kind": "amount"},
)  # fmt: skip


def inspect(value, content=ITEM):
    raw = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return read_inspection(raw, content, [FUND], TASKS["extractive"])


@pytest.mark.parametrize("raw", ["很好", "[2]", '{"evaluation": 3}', '{"evaluation": true}', "{}"])
def test_an_inspection_that_does_not_parse_is_none(raw):
    found = inspect(raw)
    assert found.state is ReplyState.UNPARSED
    assert found.evaluation is None


def test_a_correction_keeps_topic_task_facets_and_hidden_documents_of_the_item():
    item = replace(ITEM, hidden=(FUND.document_id,))
    found = inspect({"evaluation": 1, "corrected_result": GOOD}, item)
    assert found.evaluation == 1
    assert found.correction is not None
    assert found.correction.turns[0].golden_answers == ("26.84亿元",)
    assert found.correction.facets == {"kind": "amount"}
    assert found.correction.hidden == (FUND.document_id,)


def test_a_correction_keeps_the_whole_documents_that_are_evidence():
    (turn,) = ITEM.turns
    report = Evidence("another report")
    item = replace(ITEM, turns=(replace(turn, evidence=(*turn.evidence, report)),))
    found = inspect({"evaluation": 1, "corrected_result": GOOD}, item)
    assert found.correction is not None
    assert found.correction.turns[0].evidence[1:] == (report,)


def test_a_correction_that_cannot_be_used_says_why():
    found = inspect({"evaluation": 1, "corrected_result": [GOOD, GOOD]})
    assert (found.evaluation, found.correction) == (1, None)
    assert found.problems[0].code == "turns_differ"
    bad = inspect(
        {"evaluation": 1, "corrected_result": {**GOOD, "relevant_passage": ["没有这句话"]}}
    )
    assert bad.correction is None
    assert inspect({"evaluation": 1}).correction is None
    assert inspect({"evaluation": "2", "corrected_result": GOOD}).correction is None
