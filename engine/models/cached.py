"""A cache for a chat model that sends each request only once per repeat index."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable

from msgspec.structs import replace

from engine.models.chat import ChatModel, ChatReply, ChatRequest
from engine.models.errors import ModelError
from engine.models.settings import Provider
from engine.models.wire import request_body
from store.jobs.model_calls import CallRef, ModelCall, call_key

Lookup = Callable[[str], ModelCall | None]
Store = Callable[[str, ModelCall], Awaitable[None] | None]
"""Called with a key and a new reply, and awaited if it says so, before the reply is used."""

Flights = dict[str, asyncio.Future[ModelCall | None]]
"""Calls that are being made, by key; null comes out of one that whoever waits must make."""


def cache_key(provider: Provider, request: ChatRequest, repeat: int = 0) -> str:
    """The hash of everything that can change the reply.

    That is kind and address of the endpoint, the request's whole body (model, messages, sampling,
    format, seed, extra fields) and the repeat index; not the provider's name, its key, prices,
    limits or timeout.
    """
    return call_key(provider.identity, request_body(provider, request, repeat), repeat)


class CachedChat:
    """A `ChatModel` that serves stored replies and shares equal requests that are in flight.

    Only answers are stored; a failure, a refusal and an empty reply raise, every time anew.
    Several that are given the same `flights` share calls among them too; who makes a call pays.
    """

    def __init__(
        self,
        inner: ChatModel,
        provider: Provider,
        lookup: Lookup,
        store: Store,
        flights: Flights | None = None,
    ) -> None:
        self._inner = inner
        self._provider = provider
        self._lookup = lookup
        self._store = store
        self._flights = {} if flights is None else flights

    async def complete(self, request: ChatRequest, repeat: int = 0) -> ChatReply:
        """The stored reply, marked cached, or the inner model's. Raises what that raises."""
        body = request_body(self._provider, request, repeat)
        key = call_key(self._provider.identity, body, repeat)
        while (flight := self._flights.get(key)) is not None:
            # who was to make it may be cancelled, or be out of budget: then one who waits does
            call = await asyncio.shield(flight)
            if call is not None:
                return served(call, key)
        stored = self._lookup(key)
        if stored is not None:
            return served(stored, key)
        flight = self._flights[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._inner.complete(request, repeat)
            call = _recorded(self._provider, body, reply)
            pending = self._store(key, call)
            if inspect.isawaitable(pending):
                await pending
        except ModelError as error:
            flight.set_exception(error)
            flight.exception()  # seen, even when nobody shares the flight
            raise
        else:
            flight.set_result(call)
            return replace(reply, key=key)
        finally:
            del self._flights[key]
            if not flight.done():
                flight.set_result(None)


def _recorded(provider: Provider, body: dict[str, object], reply: ChatReply) -> ModelCall:
    return ModelCall(
        provider=provider.identity,
        model=provider.model,
        request=body,
        reply=reply.text,
        finish_reason=reply.finish_reason,
        latency_ms=reply.latency_ms,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost=reply.cost,
        currency=reply.currency,
        reply_model=reply.model or None,
    )


def served(call: ModelCall, key: str) -> ChatReply:
    """A stored reply, marked as cached."""
    return ChatReply(
        text=call.reply,
        finish_reason=call.finish_reason,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        cost=call.cost,
        currency=call.currency,
        latency_ms=call.latency_ms,
        attempts=0,
        cached=True,
        model=call.reply_model or "",
        key=key,
    )


def call_refs(replies: Iterable[ChatReply]) -> tuple[CallRef, ...]:
    """References to the replies that a result rests on, all of which went through a cache."""
    refs = []
    for reply in replies:
        assert reply.key is not None, "it went through no cache"
        refs.append(CallRef(reply.key, reply.cached))
    return tuple(refs)
