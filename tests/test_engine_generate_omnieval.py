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


def test_three_documents_and_other_fields_in_a_correction():
    item = {"question": "q", "answer": ["a"], "relevant_passage": ["p"], "relevant_node": ["n1"]}
    with pytest.raises(InputError):
        inspect({**item, "relevant_node": ["n1"] * 3}, '{"evaluation": 2}', {"n1"})
    raw = '{"evaluation": 1, "corrected_result": {"question": "q2"}}'
    assert inspect(item, raw, {"n1"}) == {**item, "evaluation": 1}


@pytest.mark.parametrize("raw", ["很好", "[2]", "2", "{}"])
def test_replies_that_do_not_parse_keep_the_item(raw):
    item = {"question": "q", "answer": ["a"], "relevant_passage": ["p"], "relevant_node": ["n1"]}
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


@pytest.mark.parametrize("case", CASES["clean_conversation"], ids=ids("clean_conversation"))
def test_conversations_are_cut_at_their_first_bad_turn(case):
    assert clean_conversations(case["input"]) == case["expected"]
