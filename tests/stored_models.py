"""A scripted model that does whatever ragdesk asks of one, alike for equal requests.

What is asked is read off the request: an answer, a judgement, items, an inspection, a topic or a
tree of topics. Below the path `/moody/` some answers are withheld and some are empty.
"""

from __future__ import annotations

import json
import re
import zlib

import scripted_server as scripted
import writing_server as writing
from scripted_server import Reply, Request

TREE = {
    "topic_name": "Finance",
    "sub_topics": [
        {
            "topic_name": "Banking",
            "sub_topics": [
                {"topic_name": "Cards and deposits", "terms": ["card", "deposit", "存款"]},
                {"topic_name": "Lending", "terms": ["facility", "borrower", "贷款"]},
            ],
        },
        {"topic_name": "Funds", "terms": ["fund", "基金", "净值"]},
        {"topic_name": "Compliance", "terms": ["due diligence", "可疑", "洗钱"]},
    ],
}
_TOKENS = {"tokens_in": 200, "tokens_out": 20}
_SENTENCE = re.compile(r"[^。.!?！？\n|#]{12,80}[。.]")


def reply(request: Request) -> Reply:
    """What the model says; equal requests get equal replies, also in another process."""
    asked = [str(message["content"]) for message in request.body["messages"]]
    system, user = asked[0], asked[-1]
    draw = zlib.crc32("\n".join(asked).encode())
    if "sub_topics" in system:
        return scripted.answer(json.dumps(TREE), **_TOKENS)
    if "topic_id" in system:
        return scripted.answer(json.dumps({"topic_id": draw % 4 + 1}), **_TOKENS)
    if "corrected_result" in system:
        return scripted.answer(_inspection(draw), **_TOKENS)
    if '"value"' in system:
        return scripted.answer(_judgement(draw, system), **_TOKENS)
    if "relevant_passage" in system or "relevant_passage" in user:
        return writing.writes(request)
    return _answer(draw, user, moody="/moody/" in request.path)


def _answer(draw: int, user: str, *, moody: bool) -> Reply:
    if moody and draw % 5 == 0:
        return scripted.content_filtered()
    if moody and draw % 5 == 1:
        return scripted.answer("", **_TOKENS)
    sentences = _SENTENCE.findall(user) or [user[-40:]]
    return scripted.answer(sentences[draw % len(sentences)].strip(), **_TOKENS)


def _judgement(draw: int, system: str) -> str:
    if draw % 17 == 0:
        return "It is quite right."
    most = 2 if "- 2" in system else 1
    value = 7 if draw % 19 == 0 else draw // 19 % (most + 1)
    return json.dumps({"reason": f"case {draw % 100}", "value": value})


def _inspection(draw: int) -> str:
    if draw % 7 == 0:
        return "This item looks quite good to me."
    return json.dumps({"evaluation": (2, 2, 1, 0)[draw % 4], "corrected_result": None})
