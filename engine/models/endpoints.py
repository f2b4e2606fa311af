"""All endpoints that one process calls, with a client per provider and limits per account."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.models.breaker import Breaker
from engine.models.budget import Estimator
from engine.models.cached import Flights
from engine.models.chat import ChatReply, ChatRequest
from engine.models.connection import Connection
from engine.models.embeddings import EmbeddingModel, Progress, no_progress
from engine.models.limiter import Limiter, LimiterState
from engine.models.retry import RETRIES, Account, RetryPolicy
from engine.models.settings import Limits, Provider
from engine.models.wire import read_chat_reply, request_body
from store.errors import UsageError
from store.hashing import canonical_json

if TYPE_CHECKING:
    from engine.models.embeddings import Vectors

T = TypeVar("T")

_CHECK_S = 0.25
"""The seconds between two looks whether work that nobody else can interrupt is to end."""


class OpenAIChat:
    """A `ChatModel` behind an endpoint, within the account's limits and retries.

    `before` is called before each attempt, and may raise what is to end the call.
    """

    def __init__(
        self, connection: Connection, account: Account, before: Callable[[], None] | None = None
    ) -> None:
        self.provider = connection.provider
        self._connection = connection
        self._account = account
        self._before = before
        self._estimator = Estimator(self.provider) if self.provider.limits.tpm else None

    async def complete(self, request: ChatRequest, repeat: int = 0) -> ChatReply:
        """The endpoint's reply. Raises ModelError, and EndpointDown when it stays unreachable."""
        body = request_body(self.provider, request, repeat)

        async def attempt() -> ChatReply:
            if self._before is not None:
                self._before()
            self._connection.open()  # not counted as latency: the first time it imports a library
            began = time.perf_counter()
            data = await self._connection.post("/chat/completions", body)
            latency_ms = (time.perf_counter() - began) * 1000
            return read_chat_reply(self.provider, data, latency_ms, self._connection.key)

        tokens = 0
        if self._estimator is not None:
            tokens = self._estimator.estimate(request).tokens
        reply, attempts = await self._account.call(attempt, tokens=tokens, used=_tokens)
        if self._estimator is not None:
            self._estimator.learn(reply)
        return reply if attempts == 1 else msgspec.structs.replace(reply, attempts=attempts)


def _tokens(reply: ChatReply) -> int | None:
    return None if reply.tokens_in is None else reply.tokens_in + (reply.tokens_out or 0)


class AccountState(Struct, frozen=True):
    """The state of an account, for display."""

    base_url: str
    api_key_env: str
    limiter: LimiterState
    is_down: bool


class Endpoints:
    """The models and connections of one process, for one event loop.

    Providers with one base_url and one key share a limiter, under the strictest of their limits.
    """

    def __init__(
        self,
        environ: Mapping[str, str] = os.environ,
        *,
        check: Callable[[Provider], None] = lambda _: None,
    ) -> None:
        """`check` may raise what forbids to connect to a provider."""
        self._environ = environ
        self._check = check
        self._connections: dict[bytes, Connection] = {}
        self._accounts: dict[tuple[str, str], Account] = {}
        self.flights: Flights = {}
        """Calls being made, so that jobs with an equal request make it once."""

    def chat(self, provider: Provider, before: Callable[[], None] | None = None) -> OpenAIChat:
        """The chat model of `provider`, see `OpenAIChat`. Raises UsageError for one without an
        endpoint."""
        return OpenAIChat(self.connection(provider), self.account(provider), before)

    def embeddings(self, provider: Provider) -> EmbeddingModel:
        """The embedding model of `provider`. Raises UsageError for one without an endpoint."""
        return EmbeddingModel(self.connection(provider), self.account(provider))

    def account(self, provider: Provider, policy: RetryPolicy = RETRIES) -> Account:
        """The account that all providers of the same endpoint and key share, with the retries that
        its first user asks for."""
        account = self._accounts.get(provider.account)
        if account is None:
            account = Account(Limiter(provider.limits), Breaker(), policy=policy)
            self._accounts[provider.account] = account
        elif account.limiter.limits != provider.limits:
            account.limiter.retune(_strictest(account.limiter.limits, provider.limits))
        return account

    def states(self) -> list[AccountState]:
        """The accounts in use, in the order of their first use."""
        return [
            AccountState(*key, account.limiter.state, account.breaker.is_open)
            for key, account in self._accounts.items()
        ]

    def forgive(self) -> None:
        """Resets the breakers, so that calls are tried again at once after a person resumed the
        work.
        """
        for account in self._accounts.values():
            account.breaker.reset()

    async def close(self) -> None:
        """Closes all connections."""
        for connection in self._connections.values():
            await connection.close()

    async def __aenter__(self) -> Endpoints:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def connection(self, provider: Provider) -> Connection:
        """The connection to an endpoint. Raises UsageError for a provider without one."""
        if provider.kind not in ("openai", "http"):
            raise UsageError(f"Provider {provider.name} has no endpoint: it is {provider.kind}.")
        key = canonical_json(provider)
        if key not in self._connections:
            self._check(provider)
            self._connections[key] = Connection(provider, self._environ)
        return self._connections[key]


def _strictest(one: Limits, other: Limits) -> Limits:
    return replace(
        one,
        max_in_flight=min(one.max_in_flight, other.max_in_flight),
        rpm=_lower(one.rpm, other.rpm),
        tpm=_lower(one.tpm, other.tpm),
    )


def _lower(one: int | None, other: int | None) -> int | None:
    given = [value for value in (one, other) if value is not None]
    return min(given, default=None)


class BlockingEmbedder:
    """Offers `embed(texts)` to code without an event loop, such as retrievers in child processes.

    A thread of its own runs the loop, so connections stay open from call to call. Limits hold
    within this process only. Close it after use, or use it in a `with` block. Whoever waits for
    vectors calls `check` now and then, and ends the calls with what it raises.
    """

    def __init__(self, provider: Provider, check: Callable[[], None] = lambda: None) -> None:
        self.provider = provider
        self._check = check
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name=f"embed-{provider.name}", daemon=True
        )
        self._thread.start()
        self._model: EmbeddingModel | None = None
        self._close_model: Callable[[], Coroutine[Any, Any, None]] | None = None

    def embed(self, texts: Sequence[str], progress: Progress = no_progress) -> Vectors:
        """Embeds like `EmbeddingModel.embed`; `progress` is called in the embedder's thread."""
        return self._run(self._embed(texts, progress))

    def close(self) -> None:
        if self._loop.is_closed():
            return
        if self._close_model is not None:
            self._run(self._close_model())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> BlockingEmbedder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _embed(self, texts: Sequence[str], progress: Progress) -> Vectors:
        if self._model is None:
            endpoints = Endpoints()
            self._model = endpoints.embeddings(self.provider)
            self._close_model = endpoints.close
        return await self._model.embed(texts, progress)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            while not concurrent.futures.wait([future], _CHECK_S).done:
                self._check()
            return future.result()
        finally:
            future.cancel()
