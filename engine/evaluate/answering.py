"""The answerers of a run: the offline generators in a child process, or a model at an endpoint."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from engine.answer.halves import ask_for_answer
from engine.answer.prompt import AnswerPrompts
from engine.evaluate import pool_tasks
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.operation import Budget
from engine.models.budget import Spending
from engine.models.cached import call_refs
from engine.models.chat import ChatReply, ChatRequest
from engine.models.errors import Effect, ModelError
from engine.models.settings import Provider
from engine.retrieve.passages import passages
from engine.retrieve.stage import TurnState
from store.corpora.corpora import Corpus
from store.records import Passage, PredictionState
from store.runs import runs
from store.runs.runs import Run
from store.runs.stages import AnswerValue
from store.workspace import Workspace


class Answered(Struct, frozen=True):
    """An answer, or why there is none; `state` is never pending."""

    state: PredictionState
    text: str | None
    value: AnswerValue
    elapsed_ms: float
    call_key: str | None = None
    error_kind: str | None = None
    error_text: str | None = None


class RunModels:
    """The models that a run asks, its own and those of its stages, within one budget."""

    def __init__(self, context: JobContext, run: Run, budget: Budget, commits: GroupCommit) -> None:
        spent = Spending(*runs.spent(context.workspace.db, run.id))
        self._chats: dict[str, JobChat] = {}
        first: JobChat | None = None
        for name, settings in {"": run.settings.provider, **run.settings.stage_providers}.items():
            if settings is not None:
                provider = msgspec.convert(settings, Provider)
                chat = JobChat(context, provider, budget, commits, spent, beside=first)
                first = first or chat
                self._chats[name] = chat
        self.in_flight = max((chat.in_flight for chat in self._chats.values()), default=0)
        """How many items to work at once; 0 where the run asks none."""

    async def ask(self, request: ChatRequest, repeat: int, provider: str = "") -> ChatReply:
        """The reply of the provider of that name, or of the run's own model. Raises what
        `JobChat.complete` raises."""
        return await self._chats[provider].complete(request, repeat)


class Answerer(Protocol):
    async def answer(self, state: TurnState, repeat: int) -> Answered:
        """The answer to a turn. Raises Stopped when nothing more is to be had for now, and
        RagdeskError when nothing will ever be."""


class OfflineAnswerer:
    """The built-in generators: extraction, closed-book."""

    def __init__(self, context: JobContext, run: Run, corpus_id: int) -> None:
        self._context = context
        self._generator = run.system.generator
        self._corpus_id = corpus_id

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

    def __init__(self, workspace: Workspace, run: Run, corpus: Corpus, models: RunModels) -> None:
        self._workspace = workspace
        self._models = models
        self._system = run.system
        self._prompts = AnswerPrompts(run.settings.prompts)
        self._corpus = corpus

    async def answer(self, state: TurnState, repeat: int) -> Answered:
        begin = time.perf_counter()
        texts: Sequence[Passage] | None = state.passages
        if texts is None and self._system.retriever is not None:
            texts = passages(self._workspace.db, self._corpus, state.hits or ())
        try:
            replies = await ask_for_answer(
                self._prompts,
                state.content,
                state.number,
                state.history,
                texts,
                self._system,
                lambda request: self._models.ask(request, repeat),
            )
        except ModelError as error:
            return not_answered(error, (time.perf_counter() - begin) * 1000)
        reply = replies[-1]
        calls = call_refs(replies) if len(replies) > 1 else ()
        return Answered(
            PredictionState.OK,
            reply.text,
            AnswerValue(cached=reply.cached, truncated=reply.truncated, calls=calls),
            sum(one.latency_ms for one in replies),
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
