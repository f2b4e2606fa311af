"""Estimates the tokens and the cost of a call before it is made."""

from __future__ import annotations

from msgspec import Struct

from engine.models.chat import ChatReply, ChatRequest
from engine.models.settings import Provider
from engine.models.wire import price
from engine.text.tokens import count_tokens

FIRST_GUESS = 256
"""Tokens of a reply, before any has been seen."""
_PER_MESSAGE = 4
"""Tokens that chat templates add to each message."""
_MARGIN = 1.25
"""Tokenizers differ from our counter by up to a fifth; an estimate should rather be high."""
_WEIGHT = 0.1


class CallEstimate(Struct, frozen=True):
    """The estimate of one call; `cost` and `currency` are null for a provider without prices."""

    tokens_in: int
    tokens_out: int
    cost: float | None
    currency: str | None

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


class Estimator:
    """Estimates from the request's length and from the replies seen so far."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._typical_out: float | None = None

    def estimate(self, request: ChatRequest) -> CallEstimate:
        """The tokens of the messages plus a quarter, and a reply as long as the recent ones.

        `max_tokens` bounds the reply. Prices come from the provider's settings.
        """
        counted = sum(count_tokens(message.content) + _PER_MESSAGE for message in request.messages)
        tokens_in = round(counted * _MARGIN)
        guess = FIRST_GUESS if self._typical_out is None else round(self._typical_out * _MARGIN)
        bound = request.max_tokens or self._provider.max_tokens
        tokens_out = max(1, guess if bound is None else min(guess, bound))
        return CallEstimate(tokens_in, tokens_out, *price(self._provider, tokens_in, tokens_out))

    def learn(self, reply: ChatReply) -> None:
        """Adds the length of a reply to an exponential moving average."""
        if reply.tokens_out is None:
            return
        if self._typical_out is None:
            self._typical_out = float(reply.tokens_out)
        else:
            self._typical_out += _WEIGHT * (reply.tokens_out - self._typical_out)
