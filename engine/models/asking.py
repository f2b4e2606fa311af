"""Asking a model for what is needed, and once more when its reply cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from engine.models.chat import Ask, ChatReply, ChatRequest, Message
from engine.models.errors import ModelError

_BEGINNING = 200
"""Characters of a reply that a reason quotes."""


class Reading(Protocol):
    """What was read from a reply."""

    @property
    def problem(self) -> str:
        """Why the reply cannot be used; empty where it can."""


Read = TypeVar("Read", bound=Reading)


class Asked(Struct, Generic[Read], frozen=True):
    """What came of a request."""

    read: Read | None
    """Of the last reply; null where none came."""
    replies: tuple[ChatReply, ...]
    """In the order asked: one, or two where the first could not be used."""
    failure: ModelError | None = None
    """What came in the place of a reply."""

    @property
    def error(self) -> str:
        """The kind of failure and its text; empty where there was none."""
        return f"{self.failure.kind}: {self.failure}" if self.failure else ""


async def ask_twice(
    ask: Ask,
    request: ChatRequest,
    read: Callable[[ChatReply], Read],
    mend: Callable[[str], str],
) -> Asked[Read]:
    """Asks, and once more where the reply has a problem: with that reply, and what `mend` says of
    the problem. The failure of a request is part of the result, not raised."""
    replies: list[ChatReply] = []
    try:
        replies.append(await ask(request))
        first = read(replies[0])
        if not first.problem:
            return Asked(first, tuple(replies))
        replies.append(await ask(corrected(request, replies[0].text, mend(first.problem))))
    except ModelError as error:
        return Asked(None, tuple(replies), error)
    return Asked(read(replies[1]), tuple(replies))


def quoting(problem: str, reply: str) -> str:
    """The problem of a reply with the reply's beginning, where it has any."""
    begins = " ".join(reply.split())[:_BEGINNING]
    return f"{problem}; it begins: {begins}" if begins else problem


def corrected(request: ChatRequest, reply: str, words: str) -> ChatRequest:
    """The same conversation, with a reply that could not be used and what was wrong with it."""
    more = (Message("assistant", reply), Message("user", words))
    return replace(request, messages=(*request.messages, *more))
