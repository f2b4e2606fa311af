"""JSON in replies: wrapped values are found, small faults mended, nothing is guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.parse import parse_json


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 1}',
        ' \n{"score": 1}\n',
        '```json\n{"score": 1}\n```',
        '```\n{"score": 1}```',
        'Sure! Here it is:\n```json\n{"score": 1}\n```\nAnything else?',
        'My verdict is {"score": 1}. I hope that helps.',
        '评分如下：{"score": 1}。',
        '<think>Is it {"score": 0}? No.</think>\n{"score": 1}',
        'Like {this}: {"score": 1}',
        '{"score": 1} and again {"score": 1}',
    ],
)
def test_a_wrapped_value_is_found_and_not_called_repaired(text):
    parsed = parse_json(text)
    assert (parsed.value, parsed.repaired) == ({"score": 1}, False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ('{"得分"：1，"理由"："好，对"}', {"得分": 1, "理由": "好，对"}),
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
        ('["a,]", "b",]', ["a,]", "b"]),
        ('[{"a": 1}, {"a": 2}, {"a"', [{"a": 1}, {"a": 2}]),
        ('```json\n{"claims": ["one", "two", "thr', {"claims": ["one", "two"]}),
        ("[1, 23", [1]),
    ],
)
def test_a_mended_value_is_called_repaired_with_its_problem(text, value):
    parsed = parse_json(text)
    assert (parsed.value, parsed.repaired) == (value, True)
    assert parsed.problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("<think>hm</think>", "empty"),
        ("I cannot say.", "no JSON"),
        ("null", "no JSON"),
        ('{"score": 1, "reason": "fi', "ends in the middle of its JSON"),
        ('{"score": 1', "ends in the middle of its JSON"),
        ("[12", "ends in the middle of its JSON"),
        ('[{"a": [1, 2,', "ends in the middle of its JSON"),
        ('{"score": 1} or {"score": 2}', "2 different"),
        ('{"score": 1, "score": 2}', "'score' has two values"),
        ('{"score": NaN}', "NaN"),
        ("{'score': 1}", "invalid JSON"),
        ('{"score": 1 "reason": "x"}', "invalid JSON"),
        ("[" * 20_000 + "]" * 20_000, "too many brackets"),
    ],
)
def test_what_cannot_be_known_is_not_guessed(text, problem):
    parsed = parse_json(text)
    assert parsed.value is None
    assert problem in parsed.problem


def test_the_expected_kind_is_picked_out():
    text = 'According to [1] and [2]: {"score": 1}'
    assert parse_json(text).value is None
    assert parse_json(text, "object").value == {"score": 1}
    assert parse_json('{"claims": ["a"]}', "list").value == ["a"]
    assert parse_json("7").value == 7
    assert parse_json("7", "object").value is None


def test_an_object_is_not_picked_out_of_a_list_that_breaks_off():
    assert parse_json('[{"score": 1}, {"sco', "object").value is None


json_values = st.recursive(
    st.booleans() | st.integers(-99, 99) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), json_values), st.sampled_from(["", "Here: ", "答："]))
def test_every_object_is_read_as_it_is(value, before):
    parsed = parse_json(before + json.dumps(value, ensure_ascii=False) + " done", "object")
    assert (parsed.value, parsed.repaired) == (value, False)


@given(st.lists(json_values, max_size=5), st.integers(0, 400))
def test_a_list_cut_anywhere_gives_only_elements_that_it_had(value, at):
    parsed = parse_json(json.dumps(value)[:at], "list")
    if isinstance(parsed.value, list) and at > 0:
        assert parsed.value == value[: len(parsed.value)]


@given(st.text(alphabet='{}[]",:\\ a1，：`\n<>', max_size=60))
def test_no_text_is_too_odd(text):
    parsed = parse_json(text)
    assert parsed.value is not None or parsed.problem
