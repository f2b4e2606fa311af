"""An estimate counts the request and learns how long replies are."""

from __future__ import annotations

from msgspec.structs import replace

from engine.models.chat import ChatReply, ChatRequest, Message
from engine.models.estimate import FIRST_GUESS, Estimator
from engine.models.settings import Prices, Provider

PRICED = Provider(name="p", base_url="http://h/v1", model="m", prices=Prices(1.0, 2.0, "CNY"))
REQUEST = ChatRequest((Message("user", "资本支出是多少？"),))


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
