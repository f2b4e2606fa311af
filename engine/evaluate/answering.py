"""The answerers of a run: the offline generators in a child process, or a model at an endpoint."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from engine.answer.prompt import AnswerPrompts, answer_request
from engine.evaluate import pool_tasks
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.operation import Budget
from engine.models.budget import Spending
from engine.models.chat import ChatReply, ChatRequest
from engine.models.errors import Effect, ModelError
from engine.models.settings import Provider
from engine.retrieve.passages import passages
from engine.retrieve.stage import TurnState
from store.corpora.corpora import Corpus
from store.errors import UsageError
from store.records import Passage, PredictionState
from store.runs import runs
from store.runs.runs import Run
from store.runs.stages import AnswerValue


class Answered(Struct, frozen=True):
    """An answer, or why there is none; `state` is never pending."""

    state: PredictionState
    text: str | None
    value: AnswerValue
    elapsed_ms: float
    call_key: str | None = None
    error_kind: str | None = None
    error_text: str | None = None


class Answerer(Protocol):
    in_flight: int
    """How many items to work at once."""

    async def ask(self, request: ChatRequest, repeat: int) -> ChatReply:
        """The reply that a stage before the answer needs. Raises what `answer` raises, and
        ModelError when only this request has none."""

    async def answer(self, state: TurnState, repeat: int) -> Answered:
        """The answer to a turn. Raises Stopped when nothing more is to be had for now, and
        RagdeskError when nothing will ever be."""


class OfflineAnswerer:
    """The built-in generators: extraction, closed-book."""

    def __init__(self, context: JobContext, run: Run, corpus_id: int, in_flight: int) -> None:
        self.in_flight = in_flight
        self._context = context
        self._generator = run.system.generator
        self._corpus_id = corpus_id

    async def ask(self, request: ChatRequest, repeat: int) -> ChatReply:
        raise UsageError(
            f"A stage of the system asks a model, but {self._generator!r} is not one.",
            "Give the system a model as its generator.",
        )

    async def answer(self, state: TurnState, repeat: int) -> Answered:
        made = await self._context.in_child(
            pool_tasks.answer,
            self._corpus_id,
            self._generator,
            state.lang,
            state.turn.question,
            state.history,
            state.hits or (),
            state.passages,
        )
        answer = made.answer
        return Answered(answer.state, answer.text, AnswerValue(answer.reason), made.elapsed_ms)


class ModelAnswerer:
    """A model at an OpenAI-compatible endpoint, behind the cache and the job's budget."""

    def __init__(
        self,
        context: JobContext,
        run: Run,
        corpus: Corpus,
        budget: Budget,
        commits: GroupCommit,
    ) -> None:
        self._workspace = context.workspace
        provider = msgspec.convert(run.settings.provider, Provider)
        self._closed_book = run.system.retriever is None
        self._prompts = AnswerPrompts(run.settings.prompts)
        self._corpus = corpus
        spent = Spending(*runs.spent(context.workspace.db, run.id))
        self._chat = JobChat(context, provider, budget, commits, spent)
        self.in_flight = self._chat.in_flight

    async def ask(self, request: ChatRequest, repeat: int) -> ChatReply:
        return await self._chat.complete(request, repeat)

    async def answer(self, state: TurnState, repeat: int) -> Answered:
        begin = time.perf_counter()
        texts: Sequence[Passage] | None = state.passages
        if texts is None and not self._closed_book:
            texts = passages(self._workspace.db, self._corpus, state.hits or ())
        request = answer_request(self._prompts, state.content, state.number, state.history, texts)
        try:
            reply = await self.ask(request, repeat)
        except ModelError as error:
            return not_answered(error, (time.perf_counter() - begin) * 1000)
        return Answered(
            PredictionState.OK,
            reply.text,
            AnswerValue(cached=reply.cached, truncated=reply.truncated),
            reply.latency_ms,
            call_key=reply.key,
        )


def not_answered(error: ModelError, elapsed: float) -> Answered:
    """The outcome of a prediction after a model's failure: refused, or failed with the error."""
    if error.effect is Effect.REFUSE_ITEM:
        return Answered(PredictionState.REFUSED, "", AnswerValue(str(error)), elapsed)
    return Answered(
        PredictionState.FAILED,
        None,
        AnswerValue(),
        elapsed,
        error_kind=error.kind,
        error_text=str(error),
    )
