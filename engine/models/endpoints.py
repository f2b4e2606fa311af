"""All endpoints that one process calls, with a client per provider and limits per account."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from engine.models.breaker import Breaker
from engine.models.cached import Flights
from engine.models.connection import Connection
from engine.models.embeddings import EmbeddingModel
from engine.models.limiter import Limiter, LimiterState
from engine.models.openai_chat import OpenAIChat
from engine.models.retry import Account
from engine.models.settings import Limits, Provider
from store.errors import UsageError
from store.hashing import canonical_json


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

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self._connections: dict[bytes, Connection] = {}
        self._accounts: dict[tuple[str, str], Account] = {}
        self.flights: Flights = {}
        """Calls being made, so that jobs with an equal request make it once."""

    def chat(self, provider: Provider) -> OpenAIChat:
        """The chat model of `provider`. Raises UsageError for one without an endpoint."""
        return OpenAIChat(self._connection(provider), self.account(provider))

    def embeddings(self, provider: Provider) -> EmbeddingModel:
        """The embedding model of `provider`. Raises UsageError for one without an endpoint."""
        return EmbeddingModel(self._connection(provider), self.account(provider))

    def account(self, provider: Provider) -> Account:
        """The account that all providers of the same endpoint and key share."""
        account = self._accounts.get(provider.account)
        if account is None:
            account = Account(Limiter(provider.limits), Breaker())
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

    def _connection(self, provider: Provider) -> Connection:
        if provider.kind != "openai":
            raise UsageError(f"Provider {provider.name} has no endpoint: it is {provider.kind}.")
        key = canonical_json(provider)
        if key not in self._connections:
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
