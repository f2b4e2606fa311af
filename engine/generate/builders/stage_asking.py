"""Asks a model for the stages of one attempt: again where a reply cannot be used, each stored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar, get_origin

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.generate.builders.base import MAIN, Material
from engine.jobs.request_count import RequestCount
from engine.models.chat import ChatReply, ChatRequest
from engine.models.errors import FailureKind, ModelError
from engine.models.parse import parse_json
from engine.models.replies import ReplyState, unread_state
from engine.prompts.templates import PromptText
from store.datasets.generation_steps import Step
from store.datasets.generations import AttemptState

T = TypeVar("T")

MOST_REPEATS = 3
"""Calls for one request whose replies cannot be read."""
RETRY_TEMPERATURE = 0.7
"""Of a repeated call: at 0 a model would write the same unreadable reply again."""
WORTH_REPEATING = frozenset({FailureKind.BAD_REPLY, FailureKind.EMPTY_REPLY})

AskModel = Callable[[ChatRequest, int], Awaitable[ChatReply]]
"""Sends a request, with its repeat index. Raises what `JobChat.complete` does."""
StoreStep = Callable[[Step], Awaitable[None]]


class Unanswered(Exception):
    """Raised where a stage has no usable reply, with the state that the attempt ends in."""

    def __init__(self, state: AttemptState, reason: str) -> None:
        super().__init__(reason)
        self.state = state


class StageAsking:
    """The `Ask` of an attempt.

    `first` is the repeat index of its first calls, so that a later turn of a document gets other
    replies. `may_heat` says whether the model takes a temperature.
    """

    def __init__(
        self,
        material: Material,
        prompts: Mapping[str, PromptText],
        ask: AskModel,
        store: StoreStep,
        *,
        first: int,
        may_heat: bool,
    ) -> None:
        self._material = material
        self._prompts = prompts
        self._ask = ask
        self._store = store
        self._first = first
        self._may_heat = may_heat

    async def __call__(
        self,
        stage: str,
        values: Mapping[str, str],
        kind: type[T],
        fault: Callable[[T], str],
        otherwise: T,
    ) -> T:
        """See `Ask`. Raises Unanswered, and what asking the model raises."""
        request = stage_request(self._prompts[stage], self._material, values)
        name = stage or self._prompts[MAIN].id.rpartition("/")[2]
        failure: ModelError | None = None
        problem = ""
        for repeat in range(MOST_REPEATS):
            if repeat and self._may_heat:
                request = replace(request, temperature=RETRY_TEMPERATURE)
            try:
                reply = await self._ask(request, self._first + repeat)
            except ModelError as error:
                if error.kind not in WORTH_REPEATING:
                    raise
                failure = error
                continue
            read = read_stage(reply, kind, fault)
            problem = read.problem
            await self._store(
                Step(
                    name,
                    AttemptState(read.state),
                    msgspec.to_builtins(read.value),
                    problem,
                    reply.key,
                    reply.cached,
                )
            )
            if read.value is not None:
                return read.value
            if read.state is ReplyState.REFUSED:
                raise Unanswered(AttemptState.REFUSED, f"stage {name}: the model declined")
            failure = None
        if failure is not None:
            raise failure
        raise Unanswered(AttemptState.UNPARSED, f"stage {name}: {problem}")


class StageCount:
    """The `Ask` of a dry run: counts requests, and goes on with replies that are in the cache or
    with what a builder gives in their place."""

    def __init__(
        self,
        count: RequestCount,
        material: Material,
        prompts: Mapping[str, PromptText],
        first: int,
    ) -> None:
        self._count = count
        self._material = material
        self._prompts = prompts
        self._first = first

    async def __call__(
        self,
        stage: str,
        values: Mapping[str, str],
        kind: type[T],
        fault: Callable[[T], str],
        otherwise: T,
    ) -> T:
        request = stage_request(self._prompts[stage], self._material, values)
        reply = self._count.add(request, self._first)
        read = None if reply is None else read_stage(reply, kind, fault)
        return otherwise if read is None or read.value is None else read.value


def stage_request(prompt: PromptText, material: Material, values: Mapping[str, str]) -> ChatRequest:
    """The request of a stage: its own values, then those that every prompt may use."""
    return prompt.request({}, {**material.values, **values}).request


class ReadStage(Struct, Generic[T], frozen=True):
    """A reply to a stage; without a value, why it cannot be used."""

    value: T | None
    state: ReplyState
    problem: str = ""


def read_stage(reply: ChatReply, kind: type[T], fault: Callable[[T], str]) -> ReadStage[T]:
    """The value of a reply: its one JSON object or list, of the form and without a fault."""
    parsed = parse_json(reply.text, "list" if get_origin(kind) is list else "object")
    if parsed.value is None:
        return ReadStage(None, unread_state(reply.text), _cut(reply, parsed.problem))
    try:
        value = msgspec.convert(parsed.value, kind)
    except msgspec.ValidationError as error:
        problem = _cut(reply, f"not of the form asked for: {error}")
        return ReadStage(None, ReplyState.UNPARSED, problem)
    if problem := fault(value):
        return ReadStage(None, ReplyState.UNPARSED, problem)
    return ReadStage(value, ReplyState.PARSED)


def _cut(reply: ChatReply, problem: str) -> str:
    return f"{problem}; the reply was cut short by max_tokens" if reply.truncated else problem
