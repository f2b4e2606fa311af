"""Adding up what a job would ask of a model, by building its requests without sending any."""

from __future__ import annotations

from engine.jobs.operation import Estimate
from engine.models.budget import Estimator
from engine.models.cached import cache_key, served
from engine.models.chat import ChatReply, ChatRequest
from engine.models.errors import FailureKind, ModelError
from engine.models.settings import Provider
from store.jobs import model_calls
from store.workspace import Workspace


class NotAsked(ModelError):
    """A request that was counted instead of asked; what depends on its reply is not known."""


class RequestCount:
    """Adds up requests: how many, how many the cache saves, what the others take."""

    def __init__(self, workspace: Workspace, provider: Provider) -> None:
        self._db = workspace.db
        self._provider = provider
        self._estimator = Estimator(provider)
        self._seen: set[str] = set()
        self._calls = self._cached = self._tokens_in = self._tokens_out = 0
        self._cost = 0.0

    def add(self, request: ChatRequest, repeat: int) -> ChatReply | None:
        """Counts a request; returns the reply to it that is stored, if one is."""
        self._calls += 1
        key = cache_key(self._provider, request, repeat)
        stored = model_calls.get(self._db, key)
        if stored is not None:
            self._cached += 1
            return served(stored, key)
        if key in self._seen:
            self._cached += 1
            return None
        self._seen.add(key)
        call = self._estimator.estimate(request)
        self._tokens_in += call.tokens_in
        self._tokens_out += call.tokens_out
        self._cost += call.cost or 0.0
        return None

    async def ask(self, request: ChatRequest, repeat: int) -> ChatReply:
        """Counts a request in the place of asking; raises NotAsked where no reply is stored."""
        reply = self.add(request, repeat)
        if reply is None:
            raise NotAsked(FailureKind.EMPTY_REPLY, "Nothing is asked while requests are counted.")
        return reply

    @property
    def estimate(self) -> Estimate:
        """What the requests so far would take."""
        prices = self._provider.prices
        return Estimate(
            self._calls,
            self._cached,
            self._tokens_in,
            self._tokens_out,
            self._cost if prices else None,
            prices.currency if prices else None,
        )
