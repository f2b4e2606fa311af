"""Replies are read for import as the code of OmniEval's authors reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.generate.omnieval import (
    clean,
    clean_conversations,
    inspect,
    parse_generation,
    topic_index,
)
from store.errors import InputError

CASES = json.loads(
    (Path(__file__).parent / "data/parity/omnieval_generation.json").read_text(encoding="utf-8")
)
TOPICS = CASES["topics"]


def make() -> dict[str, object]:
    """A cleaned item of one document."""
    return {
        "question": "q",
        "answer": ["a"],
        "relevant_passage": ["p"],
        "topic_name": "T",
        "task_name": "t",
        "relevant_node": ["n1"],
    }


def ids(section: str) -> list[str]:
    return [case.get("id") or case["note"] or case["raw"] for case in CASES[section]]


@pytest.mark.parametrize("case", CASES["topic_classify"], ids=ids("topic_classify"))
def test_topic_replies_give_their_index(case):
    found = topic_index(case["raw"], len(TOPICS))
    assert found == case["expected_zero_based_index"]
    assert (None if found is None else TOPICS[found]) == case["expected_topic"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"topic_id": 2.7}', 1),
        ("[3]", None),
        ("3", None),
        ('{"topic_id": null}', None),
        ('{"topic_id": [1]}', None),
    ],
)
def test_topic_numbers_of_other_types(raw, expected):
    assert topic_index(raw, 16) == expected


@pytest.mark.parametrize("case", CASES["generation_parse"], ids=ids("generation_parse"))
def test_generation_replies_give_their_items(case):
    found = parse_generation(case["raw"], "金融 - 投资 - 股票市场", "抽取类问答", "n1")
    assert found == case["expected_items"]


def test_a_lone_object_is_one_item_and_other_members_are_dropped():
    item = '{"question": "q", "answer": ["a"], "relevant_passage": ["p"]}'
    assert len(parse_generation(item, "T", "t", "n1")) == 1
    assert len(parse_generation(f'[{item}, "x", 3]', "T", "t", "n1")) == 1


@pytest.mark.parametrize("case", CASES["inspection"], ids=ids("inspection"))
def test_inspections_keep_replace_or_drop(case):
    nodes = {"n1", "n2", "n3"}
    if isinstance(case["expected"], dict) and "raises" in case["expected"]:
        with pytest.raises(InputError):
            inspect(case["input"], case["raw_inspector_output"], nodes)
        return
    assert inspect(case["input"], case["raw_inspector_output"], nodes) == case["expected"]


def test_a_reply_that_breaks_off_is_mended_as_the_authors_library_mends_it():
    whole = '{"question": "q", "answer": ["a"], "relevant_passage": ["p"]}'
    cut = f'[{whole}, {{"question": "q2", "answer": ["b", "乙"], "relevant_passage": ["第二'
    second = {"question": "q2", "answer": ["b", "乙"], "relevant_passage": ["第二"]}
    added = {"topic_name": "T", "task_name": "t", "relevant_node": "n1"}
    assert parse_generation(cut, "T", "t", "n1")[1] == {**second, **added}
    # a later version of the library makes a list of a text of this
    assert parse_generation('[{"question', "T", "t", "n1") == []
    assert topic_index('好的：{"topic_id": 4', 16) == 3
    item = {**second, **added, "relevant_node": ["n1"]}
    assert inspect(item, '{"evaluation": 2, "corrected_res', {"n1"}) == {**item, "evaluation": 2}


def test_a_reply_to_the_conversational_task_is_one_dialogue():
    turn = '{"question": "q", "answer": ["a"], "relevant_passage": ["p"]}'
    ((first, second),) = parse_generation(f"[{turn}, {turn}]", "T", "多轮对话能力", ["n1", "n2"])
    assert first == second
    assert first["relevant_node"] == ["n1", "n2"]
    assert parse_generation("[]", "T", "多轮对话能力", ["n1", "n2"]) == []


def test_three_documents_and_other_fields_in_a_correction():
    item = make()
    with pytest.raises(InputError):
        inspect({**item, "relevant_node": ["n1"] * 3}, '{"evaluation": 2}', {"n1"})
    raw = '{"evaluation": 1, "corrected_result": {"question": "q2"}}'
    assert inspect(item, raw, {"n1"}) == {**item, "evaluation": 1}


@pytest.mark.parametrize("raw", ["很好", "[2]", "2", "{}"])
def test_replies_that_do_not_parse_keep_the_item(raw):
    item = make()
    assert inspect(item, raw, {"n1"}) == {**item, "evaluation": -1}


@pytest.mark.parametrize("case", CASES["clean"], ids=ids("clean"))
def test_cleaning_strips_wraps_or_drops(case):
    if isinstance(case["expected"], dict) and "raises" in case["expected"]:
        with pytest.raises(InputError):
            clean(case["input"])
        return
    assert clean(case["input"]) == case["expected"]


def test_cleaning_of_strings_and_lists_of_the_wrong_kind():
    item = {"question": "q", "answer": " a ", "relevant_passage": ["p"], "relevant_node": "n1"}
    assert clean(item) == {**item, "relevant_node": ["n1"]}
    assert clean({**item, "question": " "}) is None
    assert clean({**item, "question": ["q"]}) is None
    assert clean({**item, "relevant_passage": " "}) is None
    # the first field that drops the item ends it, so that a number behind it is never met
    assert clean({**item, "answer": [" ", 3]}) is None
    lacking = {"question": ["q"], "answer": ["a"]}
    for broken in (
        {**item, "answer": [3, " "]},
        {**item, "question": 3},
        {"question": "q"},
        "q",
        lacking,
    ):
        with pytest.raises(InputError):
            clean(broken)


def test_an_inspection_needs_one_or_two_known_documents_in_a_list():
    for nodes in ([], "n1", ["n1", "gone"], None, [3]):
        with pytest.raises(InputError):
            inspect({**make(), "relevant_node": nodes}, '{"evaluation": 2}', {"n1"})
    with pytest.raises(InputError):
        inspect({"question": "q", "relevant_node": ["n1"]}, '{"evaluation": 2}', {"n1"})
    # whole decimals and truth values count as their numbers, and are kept as written
    assert inspect(make(), '{"evaluation": 2.0}', {"n1"}) == {**make(), "evaluation": 2}
    assert inspect(make(), '{"evaluation": false}', {"n1"}) is None


@pytest.mark.parametrize("case", CASES["clean_conversation"], ids=ids("clean_conversation"))
def test_conversations_are_cut_at_their_first_bad_turn(case):
    assert clean_conversations(case["input"]) == case["expected"]
