"""The replies that list claims, and those that give verdicts on them."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from engine.models.asking import quoting
from engine.models.chat import ChatReply
from engine.models.parse import parse_json
from store.records import ScoreState

Verdict = Literal["entailed", "neutral", "contradicted"]

UNSUPPORTED: Verdict = "neutral"

MOST_CLAIMS = 200
"""Of one text; a list of more is no list of its claims."""

_WORDS: dict[str, Verdict] = {
    "entailed": "entailed",
    "entailment": "entailed",
    "neutral": "neutral",
    "contradicted": "contradicted",
    "contradiction": "contradicted",
}

T = TypeVar("T")


class ReplyRead(Struct, Generic[T], frozen=True):
    """What a reply says, or why it cannot be used."""

    value: T | None = None
    state: ScoreState = ScoreState.OK
    problem: str = ""
    reason: str = ""
    """The problem, with the beginning of the reply."""
    repaired: bool = False
    """Whether its JSON had to be mended."""


def read_claims(reply: ChatReply) -> ReplyRead[tuple[str, ...]]:
    """The claims of `{"claims": ["…"]}`, each once, in order; there may be none.

    Anything else is `unparsed`, a list that breaks off too; more than MOST_CLAIMS `out_of_range`.
    """
    given, repaired, problem = _list_under("claims", reply)
    if problem:
        return _unusable(reply, problem)
    if not all(isinstance(claim, str) for claim in given):
        return _unusable(reply, "a claim is not a text")
    claims = tuple(dict.fromkeys(plain for claim in given if (plain := " ".join(claim.split()))))
    if len(claims) > MOST_CLAIMS:
        problem = f"the reply lists {len(claims)} claims, more than {MOST_CLAIMS}"
        return _unusable(reply, problem, ScoreState.OUT_OF_RANGE)
    return ReplyRead(claims, repaired=repaired)


def read_verdicts(reply: ChatReply, count: int) -> ReplyRead[tuple[Verdict, ...]]:
    """The verdicts of `{"verdicts": [{"claim": 1, "verdict": "entailed"}]}` on `count` claims.

    Each claim must have one, by its number. Another word, or a number that no claim has, is
    `out_of_range`; whatever else is amiss is `unparsed`.
    """
    given, repaired, problem = _list_under("verdicts", reply)
    if problem:
        return _unusable(reply, problem)
    verdicts: dict[int, Verdict] = {}
    for entry in given:
        if not isinstance(entry, dict) or not {"claim", "verdict"} <= entry.keys():
            return _unusable(reply, 'an entry has no "claim" and "verdict"')
        number, word = entry["claim"], entry["verdict"]
        if not isinstance(number, int) or isinstance(number, bool) or not isinstance(word, str):
            return _unusable(reply, "an entry has no number of a claim, or no word as its verdict")
        verdict = _WORDS.get(word.strip().casefold())
        if verdict is None:
            return _unusable(reply, f"{word[:40]!r} is no verdict", ScoreState.OUT_OF_RANGE)
        if not 1 <= number <= count:
            return _unusable(reply, f"there is no claim {number}", ScoreState.OUT_OF_RANGE)
        if verdicts.setdefault(number, verdict) != verdict:
            return _unusable(reply, f"claim {number} has two verdicts")
    if len(verdicts) < count:
        return _unusable(reply, f"{len(verdicts)} of {count} claims have a verdict")
    return ReplyRead(tuple(verdicts[number] for number in range(1, count + 1)), repaired=repaired)


def _list_under(key: str, reply: ChatReply) -> tuple[list[Any], bool, str]:
    """The list under a key of the reply's one object, whether it was mended, and a problem."""
    parsed = parse_json(reply.text, "object")
    if parsed.cut or (parsed.value is None and reply.truncated):
        return [], False, "the reply was cut short"
    if parsed.value is None:
        return [], False, parsed.problem
    if not isinstance(parsed.value.get(key), list):
        return [], False, f'the reply has no list "{key}"'
    return parsed.value[key], parsed.repaired, ""


def _unusable(
    reply: ChatReply, problem: str, state: ScoreState = ScoreState.UNPARSED
) -> ReplyRead[Any]:
    return ReplyRead(None, state, problem, quoting(problem, reply.text))
