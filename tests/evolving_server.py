"""A scripted model that writes and evolves questions out of what it is shown, well or badly."""

from __future__ import annotations

import json
import random
import re

import scripted_server as scripted
from scripted_server import Reply, Request
from writing_server import asked, shown_documents

_SENTENCE = re.compile(r"[^。.!?！？\n]{4,}[。.]")


def evolves(request: Request) -> Reply:
    """A sound reply to whichever step is asked for."""
    return scripted.answer(json.dumps(_reply(request), ensure_ascii=False))


def evolves_with_faults(request: Request) -> Reply:
    """A third of the replies faulty, by what is asked only, so that every run meets the same."""
    body = json.dumps(request.body, sort_keys=True)
    if random.Random(f"{request.attempt} {body}").random() < 0.1:
        return scripted.rate_limited(retry_after_ms=5)
    fault = random.Random(body).random()
    if fault < 0.08:
        return scripted.answer("What a good question that is.")
    reply = _reply(request)
    if fault < 0.16 and "key_sentences" in reply:
        reply["key_sentences"] = ["No document says anything of the kind, 4711 times over."]
    if fault < 0.24 and "question" in reply:
        reply["question"] = ""
    if fault < 0.3 and "references" in reply:
        reply["references"] = [99]
    return scripted.answer(json.dumps(reply, ensure_ascii=False))


def _reply(request: Request) -> dict[str, object]:
    system, user = asked(request, 0), asked(request)
    draw = random.Random(user)
    texts = shown_documents(request)
    if '"references"' in system:
        return {"references": list(range(1, len(texts) + 1))[:3]}
    if '"key_sentences"' in system:
        sentences = [draw.choice(_SENTENCE.findall(text) or [text[:40]]).strip() for text in texts]
        is_short = "no sentence" in system or "不要成句" in system
        answer = f"Bird {draw.randrange(99)}" if is_short else " ".join(sentences)
        return {"answer": answer, "key_sentences": sentences}
    if '"keypoints"' in system:
        return {"keypoints": [f"It holds {draw.randrange(999)}.", "It is said so."]}
    entity = re.search(r"(?:Entity|实体|First answer|答案一)[:：] ?(.*)", user)
    name = "" if entity is None or "First answer" in entity[0] else entity[1].strip()
    if "。" in system:
        return {"question": f"{name}第{draw.randrange(10**6)}号文件说了什么？"}
    return {"question": f"What does file {draw.randrange(10**6)} say of {name}?"}
