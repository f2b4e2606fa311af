"""Chat with an OpenAI-compatible endpoint."""

from __future__ import annotations

import time

import msgspec

from engine.models.chat import ChatReply, ChatRequest
from engine.models.connection import Connection
from engine.models.estimate import Estimator
from engine.models.retry import Account
from engine.models.wire import read_chat_reply, request_body


class OpenAIChat:
    """A `ChatModel` behind an endpoint, within the account's limits and retries."""

    def __init__(self, connection: Connection, account: Account) -> None:
        self.provider = connection.provider
        self._connection = connection
        self._account = account
        self._estimator = Estimator(self.provider) if self.provider.limits.tpm else None

    async def complete(self, request: ChatRequest, repeat: int = 0) -> ChatReply:
        """The endpoint's reply. Raises ModelError, and EndpointDown when it stays unreachable."""
        body = request_body(self.provider, request, repeat)

        async def attempt() -> ChatReply:
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
