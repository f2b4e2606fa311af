"""Claims listed and checked by a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

from engine.jobs.request_count import NotAsked
from engine.judge.base import Case
from engine.judge.claims.replies import (
    UNSUPPORTED,
    ReplyRead,
    Verdict,
    read_claims,
    read_verdicts,
)
from engine.judge.claims.steps import Step
from engine.judge.rules.claims import claims as claims_by_rule
from engine.judge.templates import Templates
from engine.models.asking import ask_twice
from engine.models.chat import Ask, ChatReply, ChatRequest
from engine.prompts.history import history_text
from store.records import Lang, ScoreState

LIST, CHECK = "list", "check"
"""The templates: claims of a text, and verdicts on claims by a text."""

_AGAIN: dict[Lang, str] = {
    "zh": "这个回复无法使用：{problem}。请重新回答，只输出一个 JSON 对象，格式为：{shape}",
    "en": "That reply cannot be used: {problem}. Reply again, with one JSON object only, of this"
    " form: {shape}",
}
_SHAPES = {
    LIST: '{"claims": ["…"]}',
    CHECK: '{"verdicts": [{"claim": 1, "verdict": "entailed"}]}',
}


def _schema(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    """The `response_format` of an object with one list."""
    schema = _object({name: {"type": "array", "items": entry}})
    named = {"name": name, "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


_VERDICT = {"type": "string", "enum": list(get_args(Verdict))}
_SCHEMAS = {
    LIST: _schema("claims", {"type": "string"}),
    CHECK: _schema("verdicts", _object({"claim": {"type": "integer"}, "verdict": _VERDICT})),
}

T = TypeVar("T")


class AskedChecker:
    """A checker that asks, for one answer."""

    stand_in = ""

    def __init__(
        self,
        ask: Ask,
        templates: Templates,
        per_request: int,
        temperature: float | None,
        max_tokens: int | None,
        with_schema: bool,
    ) -> None:
        self._ask = ask
        self._templates = templates
        self._per_request = per_request
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._with_schema = with_schema
        self.not_asked: NotAsked | None = None
        """Of a request that was counted instead of asked."""

    async def claims(self, case: Case, text: str) -> Step[tuple[str, ...]]:
        step = await self._step(case, LIST, {"text": text}, read_claims)
        if step.value is None and self.not_asked is not None:
            # while requests are counted, so that those about the claims are counted too
            guessed = tuple(claim.text for claim in claims_by_rule(text))
            return Step(guessed[: self._per_request])
        return step

    async def check(
        self, case: Case, claims: Sequence[str], reference: str
    ) -> Step[tuple[Verdict, ...]]:
        verdicts: tuple[Verdict, ...] = ()
        done: list[Step[Any]] = []
        for start in range(0, len(claims), self._per_request):
            asked = claims[start : start + self._per_request]
            numbered = "\n".join(f"{number}. {claim}" for number, claim in enumerate(asked, 1))
            values = {"reference": reference, "claims": numbered}
            step = await self._step(case, CHECK, values, _verdicts_on(len(asked)))
            if step.value is None and self.not_asked is None:
                return step.after(*done)
            done.append(step)
            verdicts += step.value or (UNSUPPORTED,) * len(asked)
        return Step(verdicts).after(*done)

    async def _step(
        self,
        case: Case,
        name: str,
        values: dict[str, str],
        read: Callable[[ChatReply], ReplyRead[T]],
    ) -> Step[T]:
        prompt = self._templates.find(name, case.lang)
        history = {"history": history_text(case.history, prompt.lang)}
        request = ChatRequest(
            prompt.fill({"question": case.question, **values}, history),
            temperature=self._temperature,
            max_tokens=self._max_tokens,
            response_format=_SCHEMAS[name] if self._with_schema else None,
        )
        asked = await ask_twice(
            self._ask,
            request,
            read,
            lambda problem: _AGAIN[prompt.lang].format(problem=problem, shape=_SHAPES[name]),
        )
        if isinstance(asked.failure, NotAsked):
            self.not_asked = asked.failure
        if asked.read is None:
            return Step(None, ScoreState.ERROR, asked.error, prompt, asked.replies)
        said = asked.read
        return Step(said.value, said.state, said.reason, prompt, asked.replies, said.repaired)


def _verdicts_on(count: int) -> Callable[[ChatReply], ReplyRead[tuple[Verdict, ...]]]:
    return lambda reply: read_verdicts(reply, count)
