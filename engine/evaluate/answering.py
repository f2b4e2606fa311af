"""The answerers of a run: offline generators in a child process, a model, or one's own system."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from engine.answer.halves import ask_for_answer
from engine.answer.prompt import AnswerPrompts
from engine.evaluate import pool_tasks
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.operation import Budget
from engine.jobs.pool import Batches
from engine.models.budget import Spending
from engine.models.cached import call_refs
from engine.models.chat import ChatReply, ChatRequest
from engine.models.errors import Effect, ModelError
from engine.models.settings import Provider
from engine.own.chat import OwnChat
from engine.own.matching import Matched, match
from engine.own.reply import OwnReply
from engine.own.request import own_request
from engine.own.service import stored_service
from engine.retrieve.passages import passages
from engine.retrieve.stage import TurnState
from store.corpora.corpora import Corpus
from store.records import Passage, PredictionState
from store.runs import refinements, runs
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
    retrieved: Matched | None = None
    """What a system of one's own retrieved for it, where it says."""


class RunModels:
    """The models that a run asks, its own and those of its stages, within one budget."""

    def __init__(self, context: JobContext, run: Run, budget: Budget, commits: GroupCommit) -> None:
        db = context.workspace.db
        answers = Spending(*runs.spent(db, run.id))
        chunks = Spending(*refinements.spent(db, context.job.id))
        spent = Spending(answers.tokens + chunks.tokens, answers.cost + chunks.cost)
        self._chats: dict[str, JobChat] = {}
        self._own: OwnChat | None = None
        first: JobChat | None = None
        for name, settings in {"": run.settings.provider, **run.settings.stage_providers}.items():
            if settings is not None:
                provider, own = self._opened(context, run, name, settings)
                chat = JobChat(context, provider, budget, commits, spent, chat=own, beside=first)
                first = first or chat
                self._chats[name] = chat
        self.in_flight = max((chat.in_flight for chat in self._chats.values()), default=0)
        """How many items to work at once; 0 where the run asks none."""

    async def ask(self, request: ChatRequest, repeat: int, provider: str = "") -> ChatReply:
        """The reply of the provider of that name, or of the run's own model. Raises what
        `JobChat.complete` raises."""
        return await self._chats[provider].complete(request, repeat)

    async def close(self) -> None:
        """Ends the processes of a system of one's own."""
        if self._own is not None:
            await self._own.close()

    def _opened(
        self, context: JobContext, run: Run, name: str, settings: dict[str, Any]
    ) -> tuple[Provider, OwnChat | None]:
        """The provider of that name, and what answers in the place of an endpoint of models."""
        if name or not run.system.is_own:
            return msgspec.convert(settings, Provider), None
        service = stored_service(settings)
        folder, endpoints = context.workspace.folder, context.endpoints
        self._own = OwnChat(service, folder, endpoints, context.raise_if_stopping)
        return service, self._own


class Answerer(Protocol):
    async def answer(self, state: TurnState, repeat: int) -> Answered:
        """The answer to a turn. Raises Stopped when nothing more is to be had for now, and
        RagdeskError when nothing will ever be."""


class OfflineAnswerer:
    """The built-in generators: extraction, closed-book."""

    def __init__(self, context: JobContext, run: Run, corpus_id: int) -> None:
        self._context = context
        self._answering = Batches(context.pool, pool_tasks.answer)
        self._generator = run.system.generator
        self._corpus_id = corpus_id

    async def answer(self, state: TurnState, repeat: int) -> Answered:
        turn = pool_tasks.ToAnswer(
            self._corpus_id,
            self._generator,
            state.lang,
            state.turn.question,
            state.history,
            state.hits or (),
            state.passages,
        )
        async with self._context.until_stopped():
            made = await self._answering.call(turn)
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


class OwnAnswerer:
    """A system of one's own, which retrieves and answers; behind the cache and the job's budget."""

    def __init__(self, context: JobContext, run: Run, corpus: Corpus, models: RunModels) -> None:
        self._context = context
        self._models = models
        self._system = run.system
        self._fingerprint = run.settings.corpus_fingerprint
        self._corpus = corpus

    async def answer(self, state: TurnState, repeat: int) -> Answered:
        begin = time.perf_counter()
        request = own_request(self._context.workspace.db, self._corpus, self._system, state)
        try:
            reply = await self._models.ask(request, repeat)
        except ModelError as error:
            return not_answered(error, (time.perf_counter() - begin) * 1000)
        given = msgspec.json.decode(reply.text, type=OwnReply)
        retrieved = None
        if given.passages is not None:
            retrieved = await self._context.in_child(
                match, self._corpus.id, self._fingerprint, given.passages
            )
        return Answered(
            PredictionState.OK,
            given.answer or "",
            AnswerValue(cached=reply.cached),
            reply.latency_ms,
            call_key=reply.key,
            retrieved=retrieved,
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
