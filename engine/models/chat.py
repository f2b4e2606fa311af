"""The messages to a chat model, and its replies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol

from msgspec import Struct

Role = Literal["system", "user", "assistant"]


class Message(Struct, frozen=True):
    role: Role
    content: str


class ChatRequest(Struct, frozen=True, omit_defaults=True):
    """A conversation to continue; a null parameter takes the provider's setting."""

    messages: tuple[Message, ...]
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    response_format: dict[str, Any] | None = None
    """As the server takes it: `{"type": "json_object"}`, or a JSON schema."""


class ChatReply(Struct, frozen=True):
    """An answer; never empty, never an error's text.

    `cost` is what making the reply cost, in `currency`; null when no price or no count is
    known. A cached reply carries the figures of the call that made it.
    """

    text: str
    finish_reason: str
    """The server's word: `stop`, or `length` when the text was cut short by max_tokens."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    """As the server counted them; null where it counts nothing, or what cannot be."""
    cost: float | None = None
    currency: str | None = None
    latency_ms: float = 0.0
    """Of the attempt that succeeded, without the waiting before it."""
    attempts: int = 1
    cached: bool = False
    """Whether no call was made for it now, so that it costs nothing now."""
    model: str = ""
    """The model that answered, as the server names it; empty where it names none."""
    remarks: tuple[str, ...] = ()
    """What a person should know of the reply: another model's name, counts that cannot be."""
    key: str | None = None
    """Its key in the cache, where it went through one."""

    @property
    def truncated(self) -> bool:
        return self.finish_reason == "length"


class ChatModel(Protocol):
    """Any source of replies: an endpoint, a cache in front of one, or a scripted model."""

    async def complete(self, request: ChatRequest, repeat: int = 0) -> ChatReply:
        """The reply to `request`; `repeat`, from 0, distinguishes several replies to one request.

        Raises ModelError with the kind of failure.
        """


Ask = Callable[[ChatRequest], Awaitable[ChatReply]]
"""How a judge or a stage of a system asks the model of its job: behind the cache, within the job's
budget. Raises ModelError when this request has no answer."""
