"""A scripted model that writes items out of the documents it is shown, well or badly."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

import scripted_server as scripted
from scripted_server import Reply, Request

_SHOWN = re.compile(
    r"=== (?:文档|document)(?: \d)? ?(?:开始|begins) ===\n(.*?)\n=== (?:文档|document)", re.DOTALL
)
_SENTENCE = re.compile(r"[^。.!?！？\n|#]{24,160}[。.]")
_COUNT = re.compile(r"at most (\d) items|最多 ?(\d) ?条")
TOKENS = {"tokens_in": 2000, "tokens_out": 20}
UNREADABLE = ('[{"question": "What is', "These are good documents, thank you.", '{"topic": 3}')


def is_dialogue(request: Request) -> bool:
    return "conversation of 2 to 4 turns" in asked(request, 0) or "轮的对话" in asked(request, 0)


def asked(request: Request, message: int = 1) -> str:
    return str(request.body["messages"][message]["content"])


def shown_documents(request: Request) -> list[str]:
    """The documents of a request, titles and all."""
    return _SHOWN.findall(asked(request))


def items_for(request: Request, seed: str = "") -> list[dict[str, object]]:
    """Sound items on sentences of each document: three, or the turns of one dialogue."""
    documents = shown_documents(request)
    draw = random.Random(asked(request) + seed)
    items: list[dict[str, object]] = []
    for number in range(2 if is_dialogue(request) else 3):
        quotes = [draw.choice(_SENTENCE.findall(text) or [text[:60]]) for text in documents]
        about = " ".join(quotes)
        is_chinese = any("一" <= character <= "鿿" for character in about)
        if number and is_dialogue(request):
            question = f"那{about[:8]}呢？" if is_chinese else f"And what of it, {about[:20]}?"
        elif is_chinese:
            question = f"云帆银行{draw.randrange(10**6)}号文件关于“{about[4:40]}”是如何规定的？"
        else:
            code = draw.randrange(10**6)
            question = f"What does Heron Bank rule {code} state on {about[:40].strip()}?"
        answer = f"{quotes[0].strip()[:60]} ({number})"
        items.append({"question": question, "answer": [answer], "relevant_passage": quotes})
    return items


def writes(request: Request) -> Reply:
    """Sound items for every request."""
    return scripted.answer(json.dumps(items_for(request), ensure_ascii=False), **TOKENS)


def writes_with_faults(request: Request) -> Reply:
    """A third of the replies faulty, by what is asked only, so that every run meets the same."""
    body = json.dumps(request.body, sort_keys=True)
    first = random.Random(f"{request.attempt} {body}").random()
    if first < 0.08:
        return scripted.rate_limited(retry_after_ms=20)
    if first < 0.14:
        return scripted.server_error()
    draw = random.Random(body)
    fault = draw.random()
    if fault < 0.1:
        return scripted.answer(draw.choice(UNREADABLE), **TOKENS)
    if fault < 0.15:
        return scripted.answer("抱歉，我无法为这份材料编写问题。", **TOKENS)
    if fault < 0.18:
        return scripted.content_filtered()
    if fault < 0.21:
        return scripted.answer("[]", **TOKENS)
    items = items_for(request)
    if fault < 0.27:
        items[0]["relevant_passage"] = ["No document says anything of the kind, 4711 times over."]
    text = json.dumps(items, ensure_ascii=False)
    if fault < 0.33:
        text = f"Here they are:\n```json\n{text[:-1]},]\n```"
    return scripted.answer(text, **TOKENS)


Writing = Callable[[Request], Reply]
