"""A job's budget: what each model call may take is estimated and reserved before the call, and
settled after it."""

from __future__ import annotations

import asyncio

from msgspec import Struct

from engine.models.chat import ChatModel, ChatReply, ChatRequest
from engine.models.settings import Provider
from engine.models.wire import price
from engine.text.tokens import count_tokens
from store.errors import RagdeskError, UsageError

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


class BudgetExhausted(RagdeskError):
    """The rest of a budget does not cover the next call; the job pauses and can be resumed."""


class Spending(Struct, frozen=True):
    """Tokens and money spent; a resumed job starts from the sums in the store."""

    tokens: int = 0
    cost: float = 0.0


class Ledger:
    """The limits of a job, shared by all its calls; null means no limit.

    Calls in flight hold their estimates back, so the bound is passed by at most what those
    estimates were short of. `currency` is that of `max_cost`.
    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        currency: str = "USD",
        spent: Spending = Spending(),  # noqa: B008 - frozen
    ) -> None:
        self.max_tokens = max_tokens
        self.max_cost = max_cost
        self.currency = currency
        self._tokens = spent.tokens
        self._cost = spent.cost
        self._held_tokens = 0
        self._held_cost = 0.0
        self._waiters: list[asyncio.Future[None]] = []

    @property
    def spent(self) -> Spending:
        return Spending(self._tokens, self._cost)

    @property
    def held(self) -> Spending:
        """The tokens and cost that calls in flight may still use, by their estimates."""
        return Spending(self._held_tokens, self._held_cost)

    async def reserve(self, estimate: CallEstimate) -> None:
        """Reserves the estimate; waits while calls in flight may still leave room for it.

        Raises BudgetExhausted when what is spent leaves no room, and UsageError when there is a
        bound on cost and the estimate has none, or one in another currency.
        """
        self._check_currency(estimate)
        while True:
            self._refuse_if_over(estimate)
            if not self._is_over(estimate, self._held_tokens, self._held_cost):
                break
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        self._held_tokens += estimate.tokens
        self._held_cost += estimate.cost or 0.0

    def settle(self, estimate: CallEstimate, tokens: int, cost: float) -> None:
        """Replaces the reservation of a call by what it used; both are 0 for a failed call."""
        self._held_tokens -= estimate.tokens
        self._held_cost -= estimate.cost or 0.0
        self._tokens += tokens
        self._cost += cost
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def _is_over(self, estimate: CallEstimate, held_tokens: int, held_cost: float) -> bool:
        tokens = self._tokens + held_tokens + estimate.tokens
        cost = self._cost + held_cost + (estimate.cost or 0.0)
        over_tokens = self.max_tokens is not None and tokens > self.max_tokens
        return over_tokens or (self.max_cost is not None and cost > self.max_cost)

    def _check_currency(self, estimate: CallEstimate) -> None:
        if self.max_cost is None:
            return
        if estimate.cost is None:
            raise UsageError(
                "A budget of money needs the model's prices.",
                "Set the provider's prices in ragdesk.toml, or bound the tokens.",
                "--max-tokens",
            )
        if estimate.currency != self.currency:
            raise UsageError(
                f"The budget is in {self.currency}, the model's prices are in {estimate.currency}.",
                "State both in one currency, or bound the tokens.",
                "--max-tokens",
            )

    def _refuse_if_over(self, estimate: CallEstimate) -> None:
        if not self._is_over(estimate, 0, 0.0):
            return
        if self.max_tokens is not None and self._tokens + estimate.tokens > self.max_tokens:
            raise BudgetExhausted(
                f"The budget of {self.max_tokens:,} tokens is used up: {self._tokens:,} are spent,"
                f" and the next call takes about {estimate.tokens:,}.",
                "Resume with more tokens.",
            )
        raise BudgetExhausted(
            f"The budget of {self.max_cost:g} {self.currency} is used up: {self._cost:.4f} is"
            f" spent, and the next call takes about {estimate.cost or 0.0:.4f}.",
            "Resume with more money.",
        )


class BudgetedChat:
    """A `ChatModel` that asks the ledger before each call; a cache belongs in front of it."""

    def __init__(self, inner: ChatModel, provider: Provider, ledger: Ledger) -> None:
        self._inner = inner
        self._ledger = ledger
        self._estimator = Estimator(provider)

    async def complete(self, request: ChatRequest, repeat: int = 0) -> ChatReply:
        """The inner model's reply. Raises BudgetExhausted, and what the inner model raises."""
        estimate = self._estimator.estimate(request)
        await self._ledger.reserve(estimate)
        tokens, cost = 0, 0.0
        try:
            reply = await self._inner.complete(request, repeat)
            # a server that counts nothing is taken at its estimate
            tokens = estimate.tokens
            if reply.tokens_in is not None:
                tokens = reply.tokens_in + (reply.tokens_out or 0)
            cost = (estimate.cost or 0.0) if reply.cost is None else reply.cost
        finally:
            self._ledger.settle(estimate, tokens, cost)
        self._estimator.learn(reply)
        return reply
