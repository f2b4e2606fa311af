"""A model reranks pointwise: it grades each passage by itself, 0 to 10."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from engine.retrieve.asking import ask_for
from engine.retrieve.asking_rerank import AskingKind, Judged
from engine.retrieve.index.base import index_text
from engine.retrieve.stage import Tools, TurnState
from store.records import Passage
from store.systems import RerankerConfig

_PROMPT = "rerank/pointwise"
_MOST = 10
_GRADE = re.compile(r"\D{0,20}(\d{1,2})(?:\s*/\s*10)?[.。]?\s*")


async def _judge(
    config: RerankerConfig,
    question: str,
    passages: Sequence[Passage],
    state: TurnState,
    tools: Tools,
) -> Judged:
    async def grade(passage: Passage) -> float | None:
        text = index_text(passage.title, passage.text)
        values = {"question": question, "passage": text}
        grades = await ask_for(tools.prompt(_PROMPT, state.lang), values, tools.ask, read_grade)
        return int(grades[0]) / _MOST if grades else None

    # every passage is asked about, whatever becomes of the others, so that none is asked again
    made = await asyncio.gather(*map(grade, passages), return_exceptions=True)
    for failure in made:
        if isinstance(failure, BaseException):
            raise failure
    scores = tuple(score for score in made if not isinstance(score, BaseException))
    return Judged(scores, scores.count(None))


def read_grade(reply: str) -> tuple[str, ...]:
    """The grade that a reply consists of, 0 to 10, with a word before it at most; else nothing."""
    match = _GRADE.fullmatch(reply.strip())
    return (match[1],) if match and int(match[1]) <= _MOST else ()


KIND = AskingKind(_judge, {_PROMPT: ("question", "passage")})
