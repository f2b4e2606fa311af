"""Lines are cleaned for import as the code of OmniEval's authors cleans them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.importers.omnieval_lines import clean, clean_conversations
from store.errors import InputError

CASES = json.loads(
    (Path(__file__).parent / "data/parity/omnieval_generation.json").read_text(encoding="utf-8")
)


def ids(section: str) -> list[str]:
    return [case.get("id") or case["note"] or case["raw"] for case in CASES[section]]


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


@pytest.mark.parametrize("case", CASES["clean_conversation"], ids=ids("clean_conversation"))
def test_conversations_are_cut_at_their_first_bad_turn(case):
    assert clean_conversations(case["input"]) == case["expected"]
