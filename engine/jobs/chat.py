"""The model that a job asks: behind the cache, within the job's budget, its failures sorted."""

from __future__ import annotations

from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext, Stopped
from engine.jobs.operation import Budget
from engine.models.budget import BudgetedChat, BudgetExhausted, Ledger, Spending
from engine.models.cached import CachedChat
from engine.models.chat import ChatModel, ChatReply, ChatRequest
from engine.models.errors import Effect, EndpointDown, FailureKind, ModelError
from engine.models.settings import Provider
from store.errors import RagdeskError
from store.jobs import jobs, model_calls
from store.jobs.model_calls import ModelCall
from store.records import JobState, PauseReason

WORKERS_PER_CALL = 2.5
"""Subjects worked at once for each call that may be in flight: one that waits out a refusal holds
no connection, and must not keep others from being asked."""


EQUAL_FAILURES = 8
"""So many calls in a row that fail alike say more of the endpoint than of what was asked."""
_OF_ENDPOINT = (
    FailureKind.BAD_REQUEST,
    FailureKind.BAD_REPLY,
    FailureKind.EMPTY_REPLY,
    FailureKind.RAISED,
    FailureKind.PROCESS_ENDED,
)
_MOST_REMARKS = 10


class JobChat:
    """A `ChatModel` for one job; `spent` is what the job's calls have taken so far.

    `chat` answers in the place of the provider's own endpoint, where that is no chat model.
    `equal_failures` calls in a row that an endpoint refuses alike pause the job; None leaves that
    to whoever asks. With `beside` both share one budget.
    """

    def __init__(
        self,
        context: JobContext,
        provider: Provider,
        budget: Budget,
        commits: GroupCommit,
        spent: Spending,
        *,
        chat: ChatModel | None = None,
        equal_failures: int | None = EQUAL_FAILURES,
        beside: JobChat | None = None,
    ) -> None:
        self.ledger: Ledger = beside.ledger if beside else _ledger(budget, provider, spent)
        self._equal_failures = equal_failures
        self._failed: list[FailureKind] = []
        self._remarks: set[str] = set()
        self.in_flight = max(1, int(provider.limits.max_in_flight * WORKERS_PER_CALL))
        self._context = context
        self._workspace = context.workspace
        self._commits = commits
        if chat is None:
            chat = context.endpoints.chat(provider, before=context.raise_if_stopping)
        context.endpoints.forgive()
        self._chat = CachedChat(
            BudgetedChat(chat, provider, self.ledger),
            provider,
            self._lookup,
            self._store,
            context.endpoints.flights,
        )

    async def complete(self, request: ChatRequest, repeat: int = 0) -> ChatReply:
        """The reply, in the file when this returns.

        Raises Stopped when the job is to stop or nothing more is to be had for now, RagdeskError
        when nothing will ever be, and ModelError when only this request has no answer.
        """
        try:
            async with self._context.until_stopped():
                reply = await self._chat.complete(request, repeat)
        except BudgetExhausted as error:
            raise self._paused(PauseReason.BUDGET, error) from error
        except ModelError as error:
            if error.effect is Effect.STOP_JOB:
                raise RagdeskError(error.message, error.remedy) from error
            if error.effect is Effect.PAUSE_JOB:
                is_down = isinstance(error, EndpointDown)
                reason = PauseReason.ENDPOINT if is_down else PauseReason.QUOTA
                raise self._paused(reason, error) from error
            self._watch(error)
            raise
        if not reply.cached:
            self._failed.clear()
            self._remark(reply)
        return reply

    def _watch(self, error: ModelError) -> None:
        """Counts calls that fail alike; raises Stopped with the last that are too many."""
        if error.kind not in _OF_ENDPOINT or self._equal_failures is None:
            self._failed.clear()
            return
        if error.kind not in self._failed:
            self._failed.clear()
        self._failed.append(error.kind)
        if len(self._failed) >= self._equal_failures:
            raise self._paused(
                PauseReason.ENDPOINT,
                RagdeskError(
                    f"{len(self._failed)} calls in a row failed alike; the last: {error.message}",
                    f"{error.remedy} Then resume the job so that it asks again for what failed,"
                    " too.",
                ),
            ) from error

    def _remark(self, reply: ChatReply) -> None:
        """Notes what is odd about a reply, once a job."""
        for remark in reply.remarks:
            if remark not in self._remarks and len(self._remarks) < _MOST_REMARKS:
                self._remarks.add(remark)
                self._context.note(jobs.WARNING, remark)

    def _paused(self, reason: PauseReason, error: RagdeskError) -> Stopped:
        """The pause that an error means; all other calls of the job end with it at once."""
        stopped = Stopped(JobState.PAUSED, reason, error.message, error.remedy)
        self._context.end(stopped)
        return stopped

    def _lookup(self, key: str) -> ModelCall | None:
        return model_calls.get(self._workspace.db, key)

    async def _store(self, key: str, call: ModelCall) -> None:
        await self._commits.write(lambda db: model_calls.put(db, key, call))


def _ledger(budget: Budget, provider: Provider, spent: Spending) -> Ledger:
    """The ledger that a job's calls of `provider` share; `spent` is gone already."""
    return Ledger(
        max_tokens=budget.max_tokens,
        max_cost=budget.max_cost,
        currency=provider.prices.currency if provider.prices else "USD",
        spent=spent,
    )
