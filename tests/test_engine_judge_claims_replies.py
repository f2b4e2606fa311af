"""Replies about claims: what is read, what is mended, and why the rest cannot be used."""

from __future__ import annotations

import json

import pytest

from engine.judge.claims.replies import MOST_CLAIMS, read_claims, read_verdicts
from engine.models.chat import ChatReply
from store.records import ScoreState

UNPARSED, OUT_OF_RANGE = ScoreState.UNPARSED, ScoreState.OUT_OF_RANGE


def reply(text: str, finish_reason: str = "stop") -> ChatReply:
    return ChatReply(text, finish_reason)


def verdicts(*given: object) -> str:
    return json.dumps({"verdicts": list(given)})


def one(number: object, word: object) -> dict[str, object]:
    return {"claim": number, "verdict": word}


@pytest.mark.parametrize(
    ("text", "claims", "repaired"),
    [
        ('{"claims": ["利率上升。", "Rates rose."]}', ("利率上升。", "Rates rose."), False),
        ('```json\n{"claims": ["a"]}\n```', ("a",), False),
        ('Here you are:\n{"claims": ["a"]}\nThat is all.', ("a",), False),
        ('{"claims": ["a", "b",]}', ("a", "b"), True),
        ('{"claims": ["a  b", "a\\nb", " ", "c"]}', ("a b", "c"), False),
        ('{"claims": []}', (), False),
    ],
)
def test_claims_are_read(text: str, claims: tuple[str, ...], repaired: bool) -> None:
    said = read_claims(reply(text))
    assert (said.value, said.repaired, said.problem) == (claims, repaired, "")


@pytest.mark.parametrize(
    ("text", "state", "problem"),
    [
        ('{"statements": ["a"]}', UNPARSED, 'no list "claims"'),
        ('{"claims": "a"}', UNPARSED, 'no list "claims"'),
        ('["a"]', UNPARSED, "no JSON object"),
        ('{"claims": ["a", 2]}', UNPARSED, "a claim is not a text"),
        ("I cannot help with that.", UNPARSED, "no JSON object"),
        ('{"claims": ["a", "b", "c', UNPARSED, "cut short"),
        (json.dumps({"claims": [f"c{n}" for n in range(MOST_CLAIMS + 1)]}), OUT_OF_RANGE, "201"),
    ],
)
def test_what_is_no_list_of_claims_is_not_read(text: str, state: ScoreState, problem: str) -> None:
    said = read_claims(reply(text))
    assert (said.value, said.state) == (None, state)
    assert problem in said.problem
    assert text[:20] in said.reason


def test_what_the_limit_of_tokens_cut_short_is_called_so() -> None:
    assert "cut short" in read_claims(reply("Let me think about", "length")).problem
    whole = read_claims(reply('{"claims": ["a"]} and now I expl', "length"))
    assert whole.value == ("a",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (verdicts(one(1, "entailed"), one(2, "neutral")), ("entailed", "neutral")),
        (verdicts(one(2, "Contradiction"), one(1, " Entailment ")), ("entailed", "contradicted")),
        (verdicts(one(1, "neutral"), one(2, "neutral"), one(2, "neutral")), ("neutral",) * 2),
    ],
)
def test_verdicts_are_read_by_the_numbers_of_claims(text: str, expected: object) -> None:
    assert read_verdicts(reply(text), 2).value == expected


@pytest.mark.parametrize(
    ("text", "state", "problem"),
    [
        (verdicts(one(1, "entailed")), UNPARSED, "1 of 2 claims"),
        (verdicts(one(1, "entailed"), one(2, "supported")), OUT_OF_RANGE, "'supported' is no"),
        (verdicts(one(1, "entailed"), one(3, "neutral")), OUT_OF_RANGE, "no claim 3"),
        (verdicts(one(0, "entailed"), one(1, "neutral")), OUT_OF_RANGE, "no claim 0"),
        (verdicts(one(True, "entailed"), one(2, "neutral")), UNPARSED, "no number"),
        (verdicts(one(1, "entailed"), one(1, "neutral"), one(2, "neutral")), UNPARSED, "two"),
        (verdicts("entailed", "neutral"), UNPARSED, 'no "claim" and "verdict"'),
        ('{"value": 2}', UNPARSED, 'no list "verdicts"'),
        ('{"verdicts": [{"claim": 1, "verdict": "entailed"}, {"cla', UNPARSED, "cut short"),
    ],
)
def test_verdicts_that_leave_a_claim_open_are_not_read(
    text: str, state: ScoreState, problem: str
) -> None:
    said = read_verdicts(reply(text), 2)
    assert (said.value, said.state) == (None, state)
    assert problem in said.problem
