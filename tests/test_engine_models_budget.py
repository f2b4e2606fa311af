"""A ledger is reserved before a call, settled after it, and stops the work in time."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from engine.models.budget import (
    FIRST_GUESS,
    BudgetedChat,
    BudgetExhausted,
    CallEstimate,
    Estimator,
    Ledger,
    Spending,
)
from engine.models.chat import ChatReply, ChatRequest, Message
from engine.models.errors import FailureKind, ModelError
from engine.models.settings import Prices, Provider
from store.errors import UsageError

PROVIDER = Provider(name="p", base_url="http://h/v1", model="m")
PRICED = replace(PROVIDER, prices=Prices(1.0, 2.0, "CNY"))
REQUEST = ChatRequest((Message("user", "资本支出是多少？"),))


def estimate(tokens, cost=None, currency=None):
    return CallEstimate(tokens, 0, cost, currency)


class Scripted:
    def __init__(self, tokens=100, cost=None, failure=None):
        self.tokens, self.cost, self.failure = tokens, cost, failure
        self.calls = self.out = self.peak = 0

    async def complete(self, request, repeat=0):
        self.calls += 1
        self.out += 1
        self.peak = max(self.peak, self.out)
        await asyncio.sleep(0)
        self.out -= 1
        if self.failure is not None:
            raise self.failure
        return ChatReply("yes", "stop", self.tokens - 10, 10, self.cost)


async def test_what_is_held_is_not_given_out_twice():
    ledger = Ledger(max_tokens=100)
    await ledger.reserve(estimate(60))
    waiting = asyncio.create_task(ledger.reserve(estimate(60)))
    await asyncio.sleep(0)
    assert not waiting.done()
    ledger.settle(estimate(60), 30, 0.0)
    await waiting
    assert ledger.spent == Spending(30)
    assert ledger.held == Spending(60)


async def test_what_is_spent_leaves_no_room():
    ledger = Ledger(max_tokens=100, spent=Spending(tokens=90))
    with pytest.raises(BudgetExhausted, match=r"budget of 100 tokens.*90 are spent"):
        await ledger.reserve(estimate(20))
    await ledger.reserve(estimate(10))


async def test_those_who_wait_are_told_when_nothing_is_left():
    ledger = Ledger(max_tokens=100)
    await ledger.reserve(estimate(60))
    waiting = asyncio.create_task(ledger.reserve(estimate(60)))
    await asyncio.sleep(0)
    ledger.settle(estimate(60), 60, 0.0)
    with pytest.raises(BudgetExhausted):
        await waiting


async def test_money_is_counted_in_its_currency():
    ledger = Ledger(max_cost=1.0, currency="CNY", spent=Spending(cost=0.9))
    with pytest.raises(BudgetExhausted, match="1 CNY"):
        await ledger.reserve(estimate(1, 0.2, "CNY"))
    with pytest.raises(UsageError, match="prices"):
        await ledger.reserve(estimate(1))
    with pytest.raises(UsageError, match="USD"):
        await ledger.reserve(estimate(1, 0.01, "USD"))


async def test_work_in_flight_stops_at_the_budget():
    model = Scripted(tokens=100)
    ledger = Ledger(max_tokens=5000)
    chat = BudgetedChat(model, PROVIDER, ledger)
    done = await asyncio.gather(
        *[chat.complete(REQUEST) for _ in range(200)], return_exceptions=True
    )
    finished = [reply for reply in done if isinstance(reply, ChatReply)]
    assert 40 <= len(finished) <= 50
    assert ledger.spent.tokens <= 5000
    assert all(isinstance(other, ChatReply | BudgetExhausted) for other in done)
    assert model.calls == len(finished)


async def test_a_call_that_failed_costs_nothing():
    ledger = Ledger(max_tokens=5000)
    failure = ModelError(FailureKind.SERVER, "no")
    with pytest.raises(ModelError):
        await BudgetedChat(Scripted(failure=failure), PROVIDER, ledger).complete(REQUEST)
    assert ledger.spent == ledger.held == Spending()


async def test_a_server_that_counts_nothing_is_taken_at_the_estimate():
    class Silent:
        async def complete(self, request, repeat=0):
            return ChatReply("yes", "stop")

    ledger = Ledger(max_cost=1.0, currency="CNY")
    await BudgetedChat(Silent(), PRICED, ledger).complete(REQUEST)
    guess = Estimator(PRICED).estimate(REQUEST)
    assert ledger.spent == Spending(guess.tokens, guess.cost)


def test_an_estimate_learns_the_length_of_replies():
    subject = Estimator(PRICED)
    before = subject.estimate(REQUEST)
    assert before.tokens_out == FIRST_GUESS
    assert before.tokens_in == round((8 + 4) * 1.25)
    assert before.currency == "CNY"
    subject.learn(ChatReply("yes", "stop", 10, 40))
    assert subject.estimate(REQUEST).tokens_out == 50


def test_max_tokens_bounds_the_estimate():
    assert Estimator(PRICED).estimate(replace(REQUEST, max_tokens=16)).tokens_out == 16


def test_without_prices_the_cost_is_unknown():
    estimate = Estimator(replace(PRICED, prices=None)).estimate(REQUEST)
    assert (estimate.cost, estimate.currency) == (None, None)
