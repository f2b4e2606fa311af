"""A scripted model that answers every stage of the CRUD tasks, well or badly."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import scripted_server as scripted
import writing_server as writing
from scripted_server import Reply, Request

from engine.text.duplicates import grams, similarity
from engine.text.sentences import sentences

STAGES = {
    "connected": ("你负责归类报道", "You sort reports"),
    "common": ("列出每一篇都说到", "List what all of the documents"),
    "different": ("列出它们的不同", "List how they differ"),
    "rewrite": ("你负责改写跨文档", "You edit questions over several"),
    "cut": ("从哪里断开", "where to cut an article"),
    "errors": ("埋下错误", "You put errors into a text"),
    "summary": ("你负责概括一篇报道", "You sum up a report"),
}

_TITLE = re.compile(r"\A(?:标题：|Title: ).*\n")


def stage_of(request: Request) -> str:
    """The stage that a request is for; `items` for one of a task that asks for items."""
    system = writing.asked(request, 0)
    marks = ((stage, mark) for stage, both in STAGES.items() for mark in both)
    return next((stage for stage, mark in marks if mark in system), "items")


def value_for(request: Request) -> Any:
    """A sound value for the stage."""
    asked = writing.asked(request)
    documents = [_TITLE.sub("", text) for text in writing.shown_documents(request)]
    stage = stage_of(request)
    if stage == "connected":
        wanted = re.search(r"其中是否有(\d)篇|whether (\d) of them", writing.asked(request, 0))
        assert wanted is not None
        return _connected(documents, int(wanted[1] or wanted[2]))
    if stage == "common":
        return {"common": [_sentences(documents[0])[0]]}
    if stage == "different":
        return {
            "different": [
                {"document": number, "says": _own(text, documents)}
                for number, text in enumerate(documents, 1)
            ]
        }
    if stage == "rewrite":
        items = json.loads(asked[asked.index("[\n") : asked.rindex("]") + 1])
        for item in items:
            item["question"] = _depending(item["question"])
        return items
    if stage == "cut":
        count = len(re.findall(r"^\[\d+\]", asked, re.MULTILINE))
        return {"begin": 1, "middle": count // 2 + 1, "end": count}
    if stage == "errors":
        return {"errors": [_error(asked)]}
    if stage == "summary":
        said = _sentences(documents[0])
        quotes = said[3:7]
        return {"event": said[0], "summary": "".join(quotes), "relevant_passage": quotes}
    if len(documents) > 1:
        return [_over_documents(documents)]
    return writing.items_for(request)


def writes(request: Request) -> Reply:
    """A sound reply to every request."""
    return scripted.answer(json.dumps(value_for(request), ensure_ascii=False), **writing.TOKENS)


FAULTS = (
    "This is a good question, thank you.",
    '{"event": ["a", "list"], "documents": "one", "errors": 3, "begin": "x", "common": 1}',
    '[{"question": "What is',
    '{"begin": 9, "middle": 2, "end": 1, "documents": [7, 8], "errors": [{"original": "nowhere",'
    ' "faulty": "x"}], "event": "E", "common": [""], "different": [{"document": 9, "says": "x"}]}',
)


def writes_with_faults(request: Request) -> Reply:
    """Two fifths of the replies faulty, by what is asked only, so that every run meets the same."""
    body = json.dumps(request.body, sort_keys=True)
    first = random.Random(f"{request.attempt} {body}").random()
    if first < 0.06:
        return scripted.rate_limited(retry_after_ms=20)
    if first < 0.1:
        return scripted.server_error()
    if first < 0.13:
        return scripted.malformed()
    draw = random.Random(body)
    fault = draw.random()
    if fault < 0.16:
        return scripted.answer(draw.choice(FAULTS), **writing.TOKENS)
    if fault < 0.19:
        return scripted.answer("抱歉，我无法完成这一要求。", **writing.TOKENS)
    if fault < 0.21:
        return scripted.content_filtered()
    if fault < 0.28:
        is_list = any(form in writing.asked(request, 0) for form in ("JSON list", "JSON 列表"))
        return scripted.answer("[]" if is_list else "{}", **writing.TOKENS)
    return writes(request)


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def _connected(documents: list[str], number: int) -> dict[str, Any]:
    own = grams(documents[0])
    alike = {place: similarity(own, grams(text)) for place, text in enumerate(documents[1:], 2)}
    others = [place for place in sorted(alike, key=lambda one: -alike[one]) if alike[place] > 0.1]
    if len(others) < number - 1:
        return {"event": "", "documents": []}
    return {"event": _sentences(documents[0])[0], "documents": [1, *others[: number - 1]]}


def _over_documents(documents: list[str]) -> dict[str, object]:
    """A question that sets side by side what only one document says each."""
    quotes = [_own(text, documents) for text in documents]
    about = "、".join(quote[:16] for quote in quotes)
    is_chinese = any("一" <= character <= "鿿" for character in about)
    question = f"关于{about}各是怎样说的？" if is_chinese else f"What is said of {about}?"
    return {"question": question, "answer": [" ".join(quotes)], "relevant_passage": quotes}


def _own(text: str, documents: list[str]) -> str:
    """The last sentence, one that no other document has where there is one."""
    others = "".join(other for other in documents if other != text)
    said = _sentences(text)
    return next((one for one in reversed(said) if one not in others), said[-1])


def _depending(question: str) -> str:
    is_chinese = any("一" <= character <= "鿿" for character in question)
    return f"在此前提下，{question}" if is_chinese else f"Given that, {question}"


def _error(asked: str) -> dict[str, str]:
    """The first stretch of six characters that the continuation has once, changed."""
    text = re.split(r"续文：\n|Continuation:\n", asked)[1]
    text = re.split(r"\n\n(?:错误|Errors)", text)[0]
    original = next(
        text[at : at + 6]
        for at in range(len(text))
        if text.count(text[at : at + 6]) == 1 and text[at : at + 6].strip() == text[at : at + 6]
    )
    return {"original": original, "faulty": f"{original[::-1]}", "reason": "turned round"}
